import { CustomerParams, PasskeyResetResponse } from '@mintmark/contract/wire/customers'
import { type Route, route } from '../http/route.ts'
import { perMerchant, secretKey } from '../merchants/credential.ts'
import { noPasskeyToReplace } from '../passkeys/errors.ts'
import type { PasskeyRecovery } from '../passkeys/release.ts'
import { notFound } from '../platform/errors.ts'

export function customerRoutes(recovery: Pick<PasskeyRecovery, 'release'>): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/customers/:userId/passkey-reset',
      operationId: 'resetPasskey',
      summary: 'Let a customer replace a lost passkey',
      description:
        'For 24 hours. It opens nothing by itself: at their next session the customer proves a card of the lost passkey by its ' +
        'security code and the code that the card network sends, makes a new passkey, and the old one is retired.',
      tag: 'Customers',
      auth: [secretKey],
      limit: perMerchant,
      params: CustomerParams,
      status: 201,
      response: PasskeyResetResponse,
      example: {
        response: {
          user_id: 'user-1',
          released_at: '2026-11-21T12:00:00.000Z',
          expires_at: '2026-11-22T12:00:00.000Z',
        },
      },
      noStore: true,
      errors: [notFound, noPasskeyToReplace],
      async handler({ caller, params: { userId } }) {
        const { merchantId, keyId } = caller
        const { releasedAt, expiresAt } = await recovery.release({ merchantId, userId }, `key ${keyId}`)
        return { user_id: userId, released_at: releasedAt.toISOString(), expires_at: expiresAt.toISOString() }
      },
    }),
  ]
}

import { OwnedPasskeys, PasskeyName, PasskeyParams } from '@mintmark/contract/wire/devices'
import { Done } from '@mintmark/contract/wire/owner'
import { cookieHeader, type HostCookie, WithCookie } from '../../http/cookie.ts'
import { type Route, route } from '../../http/route.ts'
import { lastPasskey, ownPasskeyNotFound } from '../../owners/errors.ts'
import type { ListedPasskey, OwnerService } from '../../owners/service.ts'
import { DONE, OWNERS } from './common.ts'

const ONE = { ...OWNERS, method: 'POST', params: PasskeyParams, response: Done } as const

/** The passkeys of an owner. Ending one takes away, so it needs none. */
export function ownerPasskeyRoutes(owners: OwnerService, cookie: HostCookie): Route[] {
  return [
    route({
      ...OWNERS,
      method: 'GET',
      path: '/api/passkeys',
      operationId: 'listOwnerPasskeys',
      summary: 'The passkeys of an owner',
      response: OwnedPasskeys,
      errors: [],
      handler: async ({ caller }) => ({ passkeys: (await owners.listPasskeys(caller)).map(toWirePasskey) }),
    }),
    route({
      ...ONE,
      path: '/api/passkeys/:passkeyId/name',
      operationId: 'nameOwnerPasskey',
      summary: 'Call a passkey something',
      body: PasskeyName,
      errors: [ownPasskeyNotFound],
      async handler({ caller, params, body }) {
        await owners.namePasskey(caller, params.passkeyId, body.name)
        return DONE
      },
    }),
    route({
      ...ONE,
      path: '/api/passkeys/:passkeyId/end',
      operationId: 'endOwnerPasskey',
      summary: 'End a passkey, and the sessions that it began',
      errors: [ownPasskeyNotFound, lastPasskey],
      async handler({ caller, params }) {
        const { isThis } = await owners.endPasskey(caller, params.passkeyId)
        return isThis ? new WithCookie(DONE, cookieHeader(cookie, '', 0)) : DONE
      },
    }),
  ]
}

function toWirePasskey(passkey: ListedPasskey): OwnedPasskeys['passkeys'][number] {
  const { ref, name, browser, system, createdAt, lastUsedAt, backedUp, isBlocked, isOfShop, isThis } = passkey
  return {
    ...{
      passkey_id: ref,
      name,
      browser,
      system,
      synced: backedUp,
      blocked: isBlocked,
      of_shop: isOfShop,
      current: isThis,
    },
    ...{ made_at: createdAt.toISOString(), last_used_at: lastUsedAt?.toISOString() ?? null },
  }
}

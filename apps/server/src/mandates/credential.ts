import { API_KEY_ROLES } from '@mintmark/contract'
import type { ActingAgent, AgentCaller } from '../agents/service.ts'
import { type CheckedCredential, checkedBy, credential } from '../http/credential.ts'
import { secretKey } from '../merchants/credential.ts'
import type { MerchantCaller, MerchantService } from '../merchants/service.ts'
import { PublicError } from '../platform/errors.ts'
import { authRequired } from './errors.ts'

/** The callers that may see and stop mandates: a merchant, a dashboard, or the agent that they were given to. */
export type MandateCaller = MerchantCaller | ActingAgent
/** The callers that charge them, and get what that mints: an agent has a key that it is encrypted to. */
export type ChargingCaller = MerchantCaller | AgentCaller

/** A secret key of any role, as mandate operations see it: whatever is wrong with it is `AUTH_REQUIRED`. */
export const mandateKey = credential<MerchantCaller>('mandate_key', {
  ...secretKey,
  scheme: {
    type: 'http',
    scheme: 'bearer',
    description:
      "A secret key, as everywhere, or a dashboard's control-plane key, which names one of its users with each call, and " +
      'neither charges nor reports. ' +
      'Mandate operations answer `AUTH_REQUIRED` to a wrong one.',
  },
  errors: { missing: authRequired, invalid: authRequired },
})

/** How a host checks who calls a mandate operation. */
export function mandateCredentials(merchants: Pick<MerchantService, 'authenticateKey'>): CheckedCredential[] {
  const check = ({ headers }: { headers: { authorization?: string | undefined } }) =>
    merchants.authenticateKey(headers.authorization, 'secret', API_KEY_ROLES).catch((error: unknown) => {
      const refused = error instanceof PublicError && error.status === authRequired.status
      throw refused ? authRequired({ message: error.message }) : error
    })
  return [checkedBy(mandateKey, { check })]
}

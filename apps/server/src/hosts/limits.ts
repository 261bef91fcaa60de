import { perAgent, perLinking } from '../agents/credential.ts'
import { perVaultEntry, refusedOfAddress, refusedOfCustomer, refusedOfMerchant } from '../cards/credential.ts'
import { perShopping } from '../checkout/quotes/credential.ts'
import { perConsoleVisit, perInvited, perInviter, perPerson } from '../console/credential.ts'
import { failedAuthentication } from '../http/failed-authentication.ts'
import type { AnyLimit } from '../http/limit.ts'
import { perMerchant, perWalletMerchant } from '../merchants/credential.ts'
import { perNetworkMessage } from '../network/credential.ts'
import { perOwner, perOwnerMail, perSignIn } from '../owners/credential.ts'
import { perEnrollment, perEnrollmentStatus } from '../sessions/credential.ts'
import { perEndpointRequest } from '../webhooks/credential.ts'
import {
  perContactLink,
  perDocument,
  perLaunch,
  perSecretEntry,
  perSession,
  perVisit,
  perVisitor,
} from './surface/credential.ts'

/** Every rate limit of every host. The configuration reads a number for each. */
export const LIMITS: readonly AnyLimit[] = [
  perMerchant,
  perWalletMerchant,
  perShopping,
  perEnrollment,
  perEnrollmentStatus,
  perVaultEntry,
  perAgent,
  perLinking,
  perLaunch,
  perSession,
  perSecretEntry,
  refusedOfCustomer,
  refusedOfAddress,
  refusedOfMerchant,
  perContactLink,
  perVisit,
  perVisitor,
  perSignIn,
  perOwnerMail,
  perOwner,
  perConsoleVisit,
  perInvited,
  perInviter,
  perPerson,
  perEndpointRequest,
  perNetworkMessage,
  perDocument,
  failedAuthentication,
]

/** The setting that changes a limit's points. */
export function limitVariable({ name }: AnyLimit): string {
  return `RATE_LIMIT_${name.toUpperCase()}`
}

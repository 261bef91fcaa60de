import type { ApprovalService } from '../approvals/service.ts'
import { createCardholderService } from '../cardholder/service.ts'
import type { CardService } from '../cards/service.ts'
import { mayWiden, recoveredAt } from '../owners/service.ts'
import type { PasskeyService } from '../passkeys/service.ts'
import { createPermissionService } from '../permissions/service.ts'
import { createVisitTokens } from '../permissions/token.ts'
import type { SessionService } from '../sessions/service.ts'
import type { Ground } from './ground.ts'
import type { Operated } from './operated.ts'
import { operatorOf } from './operator.ts'

interface Used {
  sessions: SessionService
  cards: CardService
  passkeys: PasskeyService
  approvals: ApprovalService
}

/** What cardholders do at the secure surface: in a session of a merchant, and later with what they have allowed it. */
export function composeCardholders(ground: Ground, { parts, merchants, mandates }: Operated, used: Used) {
  const { derived, common, seals, network } = parts
  const { environment } = ground.config
  const tokens = createVisitTokens({ key: derived.visitTokens, environment, clock: ground.clock })
  const shared = { ...common, ...used, environment, operator: operatorOf(ground), seals }
  const { cardEntry } = network.capabilities
  return {
    visits: tokens,
    cardholder: createCardholderService({
      ...{ ...shared, cardEntry },
      recoveredAt: async (customer) =>
        customer.merchantId === merchants.operatorMerchantId ? recoveredAt(ground, customer) : null,
    }),
    permissions: createPermissionService({
      ...{ ...shared, tokens, merchants, mandates },
      mayWiden: (customer) => mayWiden(ground, customer),
    }),
  }
}

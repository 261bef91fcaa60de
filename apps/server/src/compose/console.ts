import { type ConsoleDeps, createConsoleService } from '../console/service.ts'
import type { Ground } from './ground.ts'
import type { Operated } from './operated.ts'

/** What people see who look after an account, and what they are. */
export const composeConsole = (
  { config: { environment }, log }: Ground,
  { parts: { common, seals }, merchants, mandates, events: feed, mail }: Operated,
  sending: Pick<ConsoleDeps, 'webhooks' | 'deliveries' | 'approvals' | 'passkeys'>,
) => {
  const { operatorMerchantId: operatorId, ensureOperatorMerchant: ensureAccount } = merchants
  const own = { environment, log, seals, operatorId, ensureAccount }
  return createConsoleService({ ...common, ...own, merchants, mandates, feed, mail, ...sending })
}

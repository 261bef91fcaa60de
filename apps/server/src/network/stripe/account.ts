import { ok } from '../answers.ts'
import type { AccountStanding } from '../capabilities.ts'
import type { NetworkAnswer } from '../port.ts'
import { type StripeDeps, unclear } from './deps.ts'

/** `CapableNetwork.account`: the issuing balance, and whether Stripe lets the account issue. Changes nothing. */
export async function readAccount({ api, currency }: StripeDeps): Promise<NetworkAnswer<AccountStanding>> {
  const [issuing, balance] = await Promise.all([api.readIssuing(), api.readBalance(currency)])
  if (issuing.outcome !== 'ok') return issuing.outcome === 'refused' ? unclear(issuing) : issuing
  if (balance.outcome !== 'ok') return balance.outcome === 'refused' ? unclear(balance) : balance
  return ok({ isOpen: issuing.value, balance: { minor: balance.value, currency } })
}

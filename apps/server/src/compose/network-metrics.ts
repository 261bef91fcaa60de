import { OUTCOMES, type Outcome } from '../network/answered.ts'
import type { AccountStanding, CapableNetwork } from '../network/capabilities.ts'
import type { Metrics } from '../platform/metrics.ts'
import { amountFromMinor } from '../platform/money.ts'
import { remembered } from '../platform/remembered.ts'

/** What was read serves all who ask within this time: the network counts our questions. */
const KEPT_MILLIS = 60_000

type Watched = Pick<CapableNetwork, 'account'> & { onAnswer(note: (outcome: Outcome) => void): void }

/**
 * Declares how calls of the card network end, and how the operator's account there stands, which is asked when it is
 * read. An account that does not answer is missing, and nothing else is.
 */
export function addNetworkMetrics(metrics: Metrics, { account, onAnswer }: Watched): void {
  const help = 'Calls of the card network, by how they ended: ok, declined, or unknown.'
  const count = metrics.counter({ name: 'network_answers_total', help, labels: ['outcome'] })
  // From zero, so that the first of a kind is a rise.
  for (const outcome of OUTCOMES) count({ outcome }, 0)
  onAnswer((outcome) => count({ outcome }))
  if (account === undefined) return
  const read = remembered(KEPT_MILLIS, async (): Promise<AccountStanding | null> => {
    const answer = await account().catch(() => null)
    return answer?.outcome === 'ok' ? answer.value : null
  })
  const open = "Whether the card network lets the operator's account make cards."
  metrics.gauge({ name: 'network_account_open', help: open, labels: [] }, async () => {
    const standing = await read()
    return standing === null ? [] : [{ labels: {}, value: standing.isOpen ? 1 : 0 }]
  })
  const left = "What the operator's account at the card network has left to pay from, in units of its currency."
  metrics.gauge({ name: 'network_balance', help: left, labels: ['currency'] }, async () => {
    const standing = await read()
    if (standing === null) return []
    const { minor, currency } = standing.balance
    return [{ labels: { currency }, value: Number(amountFromMinor(minor)) }]
  })
}

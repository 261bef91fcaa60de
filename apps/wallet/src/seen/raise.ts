import type { AgentLimits } from '@mintmark/contract/wire/agents'
import type { EscalationView } from '@mintmark/contract/wire/owner'

/** An amount of the wire has two decimals. */
const inHundredths = (amount: string) => BigInt(amount.replace('.', ''))
const written = (hundredths: bigint) => `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`

/** To what a limit is raised, as the wire has it: the new amount, or the shop that is added. */
export function raisedTo({ limit, payee }: Pick<EscalationView, 'limit' | 'payee'>, limits: AgentLimits): string {
  if (limit === 'charge' || limit === 'day' || limit === 'month' || limit === 'ask_above') return limits[limit] ?? ''
  return payee.name
}

type Asked = Pick<EscalationView, 'agent' | 'amount' | 'limit' | 'limits' | 'payee'>

/** The limits by which a charge like this one passes the limit that refused it; null: none of them has refused it. */
export function raisedFor({ agent: { terms }, amount, limit, limits, payee }: Asked): AgentLimits | null {
  const used = limits.find(({ kind }) => kind === limit)?.used ?? '0.00'
  const sum = written(inHundredths(used) + inHundredths(amount))
  switch (limit) {
    case 'charge':
      return { ...terms, charge: amount }
    case 'ask_above':
      return { ...terms, ask_above: amount }
    case 'day':
      return { ...terms, day: sum }
    case 'month':
      return { ...terms, month: sum }
    case 'merchants':
      return terms.merchants === null
        ? null
        : { ...terms, merchants: [...terms.merchants, new URL(payee.url).hostname] }
    default:
      return null
  }
}

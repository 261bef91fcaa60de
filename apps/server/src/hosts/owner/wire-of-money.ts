import type { OwnerMoney } from '@mintmark/contract/wire/owner-money'
import type { Home } from '../../owners/service.ts'
import { amountFromMinor } from '../../platform/money.ts'

type Exposure = Home['money']

export function toWireMoney({ until, spent, most, agents }: Exposure): OwnerMoney {
  return {
    until: until.toISOString(),
    spent: spent.map(({ currency, minor, heldMinor }) => ({
      ...{ amount: amountFromMinor(minor), held: amountFromMinor(heldMinor), currency },
    })),
    most: most.map(({ currency, minor }) => ({ amount: amountFromMinor(minor), currency })),
    agents: agents.map(toWireSpender),
  }
}

const amountOrNull = (minor: bigint | null) => (minor === null ? null : amountFromMinor(minor))

function toWireSpender(spender: Exposure['agents'][number]): OwnerMoney['agents'][number] {
  const { agent, mandates, permissions, mostMinor, monthLeftMinor, daysLeftMinor, days, eachMinor } = spender
  return {
    ...{ agent_id: agent.id, name: agent.name, currency: agent.limits.currency, days },
    amount: amountFromMinor(mostMinor),
    month_left: amountOrNull(monthLeftMinor),
    days_left: amountOrNull(daysLeftMinor),
    each: amountOrNull(eachMinor),
    allowed: amountFromMinor(spender.allowedMinor),
    permissions: mandates.map((mandate, place) => {
      const { mostMinor = 0n, renewals = 0, barrier = null } = permissions[place] ?? {}
      return {
        ...{ mandate_id: mandate.id, merchant_name: mandate.payeeName, merchant_scope: mandate.merchantScope },
        ...{ amount: amountFromMinor(mostMinor), currency: mandate.currency, frequency: mandate.frequency },
        ...{ renewals, barrier },
      }
    }),
  }
}

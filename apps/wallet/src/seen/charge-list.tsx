import type { ActivityCharge } from '@mintmark/contract/wire/owner-activity'
import { ItemList } from '@mintmark/ui/items.tsx'
import { dayOf, money, time } from '../money.ts'
import { refusalOf } from '../text/refusal.ts'
import { words } from '../text/seen/words.ts'

const FATES = { paid: 'moved', held: 'held', refused: 'refused', given_back: 'held' } as const

/** Charges and refusals, under the day on which they were made. */
export function ChargeList({ charges }: { charges: readonly ActivityCharge[] }) {
  const days = [...new Set(charges.map(({ created_at }) => dayOf(created_at)))]
  return (
    <>
      {days.map((day) => (
        <ItemList
          key={day}
          title={day}
          items={charges.filter(({ created_at }) => dayOf(created_at) === day).map(itemOf)}
        />
      ))}
    </>
  )
}

function itemOf(charge: ActivityCharge) {
  const { charge_id: key, agent, shop, outcome, amount, currency, created_at } = charge
  return {
    ...{ key, name: agent, fate: FATES[outcome], href: `/activity/${encodeURIComponent(key)}` },
    title: <bdi>{shop}</bdi>,
    note: (
      <>
        <bdi>{agent}</bdi>, {time(created_at)} · {noteOf(charge)}
      </>
    ),
    amount: money(amount, currency),
  }
}

function noteOf(charge: ActivityCharge): string {
  return charge.outcome === 'refused' ? refusalOf(charge).why : words.shortOutcomes[charge.outcome]
}

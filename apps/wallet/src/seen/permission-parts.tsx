import type { OwnerPermission } from '@mintmark/contract/wire/owner-permissions'
import { Gauge } from '@mintmark/ui/gauge.tsx'
import { day, dayOf, money } from '../money.ts'
import { words } from '../text/seen/words.ts'

export const isLive = ({ state }: OwnerPermission) =>
  state === 'available' || state === 'consumed' || state === 'paused'

export const shopOf = ({ merchant_scope, merchant_name }: OwnerPermission) =>
  merchant_scope === 'any' ? words.anyShopName : merchant_name

export const capOf = ({ amount, currency, frequency }: OwnerPermission) =>
  words.capOf(money(amount, currency), words.frequencies[frequency])

/** How much of the cap is left; the words say the same. */
export function PermissionGauge({ permission }: { permission: OwnerPermission }) {
  const { amount, spent, left, currency, renews_at, ended_at, valid_until } = permission
  const text = words.leftOfCap(money(left, currency), capOf(permission))
  const ends = ended_at === null ? words.until(dayOf(valid_until)) : words.endedOn(dayOf(ended_at))
  return (
    <Gauge
      label={shopOf(permission)}
      cap={Number(amount)}
      parts={[{ share: 'used', size: Number(spent) }]}
      text={text}
      words={text}
      note={renews_at === null ? ends : words.renewsOn(day(renews_at))}
    />
  )
}

/** A permission in a list, which leads to all of it. */
export function PermissionItem({ permission }: { permission: OwnerPermission }) {
  const { mandate_id, agent, state, ended_at, charges, max_charges } = permission
  return (
    <li class="agent">
      <div class="head">
        <p class="head-words">
          <a class="strong" href={`/permissions/${encodeURIComponent(mandate_id)}`}>
            <bdi>{shopOf(permission)}</bdi>
          </a>
          <small>
            {agent !== null && <bdi>{words.agentOf(agent)}</bdi>}
            {agent !== null && ' · '}
            {words.times(charges, max_charges)}
          </small>
        </p>
        <span class={`chip ${state === 'available' ? 'chip-good' : 'chip-calm'}`}>{words.states[state]}</span>
      </div>
      {ended_at === null ? (
        <PermissionGauge permission={permission} />
      ) : (
        <p class="note">
          {capOf(permission)} · {words.endedOn(dayOf(ended_at))}
        </p>
      )}
    </li>
  )
}

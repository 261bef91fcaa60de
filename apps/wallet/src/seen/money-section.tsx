import type { OwnerMoney } from '@mintmark/contract/wire/owner-money'
import { dayBefore, money } from '../money.ts'
import { words } from '../text/seen/words.ts'

type Sum = OwnerMoney['most'][number]
type Spender = OwnerMoney['agents'][number]

const sums = (all: readonly Sum[]) => all.map(({ amount, currency }) => money(amount, currency)).join(' + ')

/** What was spent this month, what could still be, and how that comes about. */
export function MoneySection({ money: seen }: { money: OwnerMoney }) {
  const { spent, most, agents, until } = seen
  const held = spent.filter((sum) => Number(sum.held) > 0).map((sum) => ({ ...sum, amount: sum.held }))
  return (
    <section class="figures">
      <dl class="figure-pair">
        <div class="figure">
          <dt>{words.spent}</dt>
          <dd class="figure-sum">{spent.length === 0 ? words.spentNothing : sums(spent)}</dd>
          {held.length > 0 && <dd class="note">{words.held(sums(held))}</dd>}
        </div>
        <div class="figure">
          <dt>{words.most}</dt>
          <dd class="figure-sum">{most.length === 0 ? words.mostNothing : sums(most)}</dd>
          <dd class="note">{words.mostUntil(dayBefore(until))}</dd>
        </div>
      </dl>
      {agents.length > 0 && (
        <details class="key">
          <summary>{words.how}</summary>
          {agents.map((spender) => (
            <How key={spender.agent_id} spender={spender} />
          ))}
          {agents.length > 1 && most.length > 0 && (
            <p class="sum-line strong">
              <span>{words.together}</span>
              <span>{sums(most)}</span>
            </p>
          )}
        </details>
      )}
    </section>
  )
}

/** Line by line: what the permissions give, what the limits leave of it, and what it comes to. */
function How({ spender }: { spender: Spender }) {
  const { name, amount, currency, permissions, month_left, days_left, days, each, allowed } = spender
  const inCurrency = (value: string) => money(value, currency)
  const limits: [string, string | null][] = [
    [words.monthLeft, month_left],
    [words.daysLeft(days), days_left],
    [words.each, each],
    [words.allowed, Number(allowed) > 0 ? allowed : null],
  ]
  return (
    <>
      <h3>
        <bdi>{name}</bdi>
      </h3>
      <ul class="lines">
        {permissions.map((permission) => (
          <li key={permission.mandate_id}>
            <span>
              {words.byPermission(permission.merchant_scope === 'any' ? words.anyShop : permission.merchant_name)}
              <Notes permission={permission} />
            </span>
            <span>{money(permission.amount, permission.currency)}</span>
          </li>
        ))}
        {limits.map(
          ([label, value]) =>
            value !== null && (
              <li key={label}>
                <span>{label}</span>
                <span>{inCurrency(value)}</span>
              </li>
            ),
        )}
        <li class="strong">
          <span>{words.soMost}</span>
          <span>{inCurrency(amount)}</span>
        </li>
      </ul>
    </>
  )
}

function Notes({ permission: { renewals, barrier } }: { permission: Spender['permissions'][number] }) {
  const notes = [
    ...(renewals > 0 ? [words.renewals(renewals)] : []),
    ...(barrier === null ? [] : [words.barriers[barrier]]),
  ]
  return notes.length === 0 ? null : <small class="block">{notes.join(', ')}</small>
}

import type { AgentMe } from '@mintmark/contract/wire/agents'
import { day, money } from './money.ts'
import { text } from './text/words.ts'

type Limit = AgentMe['limits'][number]

/** What is left of the limits that add up, and the others in words. */
export function LimitBars({ limits, currency }: { limits: readonly Limit[]; currency: string }) {
  const shown = limits.filter(({ kind }) => kind === 'day' || kind === 'month')
  const others = limits.flatMap((limit) => text.limitWords(limit, (amount) => money(amount, currency)))
  return (
    <>
      {shown.map((limit) => (
        <Bar key={limit.kind} limit={limit} currency={currency} />
      ))}
      {others.length > 0 && <p class="note">{others.join(' · ')}</p>}
    </>
  )
}

function Bar({ limit: { kind, limit, used, left, renews_at }, currency }: { limit: Limit; currency: string }) {
  const share = Math.min(1, Number(used ?? 0) / Math.max(0.01, Number(limit)))
  return (
    <div class="bar-block">
      {/* Said in words below it. */}
      <svg class="bar" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true">
        <rect class="bar-all" width="100" height="3" rx="1.5" />
        <rect class="bar-used" width={share * 100} height="3" rx="1.5" />
      </svg>
      <p class="bar-words">
        <span>{text.leftOf(kind, money(left ?? '0', currency), money(limit, currency))}</span>
        {renews_at !== null && <span class="muted">{text.renews(day(renews_at))}</span>}
      </p>
    </div>
  )
}

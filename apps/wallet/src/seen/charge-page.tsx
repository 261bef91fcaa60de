import type { ActivityCharge, ChargeLifeView } from '@mintmark/contract/wire/owner-activity'
import { Timeline, type Turn } from '@mintmark/ui/timeline.tsx'
import { moment, money } from '../money.ts'
import { refusalOf } from '../text/refusal.ts'
import { words } from '../text/seen/words.ts'
import { Loading, Mark, Notice, Sheet, Unreached } from '../ui.tsx'
import { reading } from './seen.ts'

const life = reading<ChargeLifeView>()

const TURNS: Record<ChargeLifeView['moments'][number]['what'], Turn> = {
  ...{ asked: 'calm', number_made: 'calm', reported: 'calm', lapsed: 'calm' },
  ...{ paid: 'good', refused: 'bad', given_back: 'calm' },
}

/** One charge: what happened to the money first, then why, then each moment of it. */
export function ChargePage({ id }: { id: string }) {
  const path = `activity/${encodeURIComponent(id)}`
  life.use(path)
  if (life.lost.value === 'unknown') {
    return (
      <Notice title={words.chargeUnknownTitle} words={words.chargeUnknown} tone="warn">
        <Back />
      </Notice>
    )
  }
  if (life.lost.value === 'unreachable') return <Unreached again={() => void life.refresh(path)} />
  const seen = life.view.value
  if (seen === undefined) return <Loading />
  const { charge, moments, reference } = seen
  const { agent, shop, outcome, amount, currency, created_at } = charge
  return (
    <Sheet
      wide
      title={words.chargeTitles[outcome](money(amount, currency), shop)}
      head={
        <div class="head">
          <Mark name={agent} />
          <p class="head-words">
            <bdi class="strong">{words.by(agent)}</bdi>
            <small>{moment(created_at)}</small>
          </p>
        </div>
      }
    >
      <p class="lead">{words.moneyStates[outcome]}</p>
      <Why charge={charge} />
      {charge.possible_duplicate && <p class="warning">{words.isDuplicate}</p>}
      <section>
        <h2>{words.happened}</h2>
        <div class="contained">
          <Timeline
            label={words.happened}
            moments={moments.map(({ what, at }) => ({
              ...{ key: what, at, time: moment(at), turn: TURNS[what], what: words.moments[what], who: null },
            }))}
          />
        </div>
        {outcome === 'held' && seen.lapses_at !== null && (
          <p class="note">{words.usableUntil(moment(seen.lapses_at))}</p>
        )}
      </section>
      {charge.code !== null && <Told charge={charge} reference={reference} />}
      <Ways charge={charge} />
    </Sheet>
  )
}

/** Why nothing was paid, and what to do. */
function Why({ charge }: { charge: ActivityCharge }) {
  if (charge.code === null) return null
  const { why, next } = refusalOf(charge)
  return (
    <div class="say">
      <p class="strong">{why}</p>
      <p>{next}</p>
    </div>
  )
}

/** In the very words of the service. */
function Told({ charge: { code, limit }, reference }: { charge: ActivityCharge; reference: string | null }) {
  const lines = [`errorCode: ${code}`, ...(limit === null ? [] : [`limit: ${limit}`])]
  return (
    <details class="key">
      <summary>{words.told}</summary>
      <pre>{[...lines, ...(reference === null ? [] : [`reference: ${reference}`])].join('\n')}</pre>
    </details>
  )
}

function Ways({ charge: { escalation_id, mandate_id, agent_id, shop } }: { charge: ActivityCharge }) {
  const ways: [string, string | null][] = [
    [words.answerIt, escalation_id === null ? null : `/escalations/${encodeURIComponent(escalation_id)}`],
    [words.itsPermission, mandate_id === null ? null : `/permissions/${encodeURIComponent(mandate_id)}`],
    [words.itsAgent, `/agents/${encodeURIComponent(agent_id)}`],
    [words.itsShop, `/activity?${new URLSearchParams({ shop })}`],
    [words.toActivity, '/activity'],
  ]
  return (
    <ul class="ways">
      {ways.map(
        ([label, href]) =>
          href !== null && (
            <li key={label}>
              <a href={href}>{label}</a>
            </li>
          ),
      )}
    </ul>
  )
}

function Back() {
  return (
    <div class="actions">
      <a class="button button-secondary" href="/activity">
        {words.toActivity}
      </a>
    </div>
  )
}

import { HISTORY_LANES, type HistoryLane } from '@mintmark/contract/console'
import type { ConsoleMoment, ConsolePayment, ConsolePaymentView } from '@mintmark/contract/wire/console'
import { Icon } from '@mintmark/ui/icons.tsx'
import { Money } from '@mintmark/ui/money.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import { Sign } from '@mintmark/ui/signs.tsx'
import { type Moment, Timeline, type Turn } from '@mintmark/ui/timeline.tsx'
import type { ComponentChildren } from 'preact'
import { pageOf } from '../ids.ts'
import { Id } from '../parts/copy.tsx'
import { chosenOf, Filters } from '../parts/filters.tsx'
import { exactText, locale, timeText } from '../parts/time.tsx'
import { words as events } from '../text/events/words.ts'
import { words } from '../text/payments/words.ts'
import { story } from '../text/story/words.ts'
import { since } from '../times.ts'
import { turnOf } from './turns.ts'

/** How it came about, over the four who did something to it, with the time since the start. */
export function History({ view }: { view: ConsolePaymentView }) {
  const lane = chosenOf('lane', HISTORY_LANES)
  const shown = view.history.filter((moment) => lane === '' || moment.lane === lane)
  const start = view.history[0]?.at ?? view.payment.created_at
  return (
    <Panel
      title={words.timeline}
      aside={
        <Filters
          label={words.lane}
          name="lane"
          chosen={lane}
          all={words.allLanes}
          values={HISTORY_LANES.map((each) => [each, words.lanes[each]])}
        />
      }
    >
      <Timeline label={words.what} moments={shown.map((moment, index) => momentOf(view, moment, start, index))} />
    </Panel>
  )
}

function momentOf({ payment }: ConsolePaymentView, moment: ConsoleMoment, start: string, index: number): Moment {
  const { at, lane, what, amount, event, deliveries } = moment
  const isFirst = at === start && index === 0
  const turn = turnOf(moment, payment.status)
  const { currency } = payment
  return {
    key: `${at} ${what} ${event?.id ?? index}`,
    at,
    time: <span title={exactText(at)}>{isFirst ? timeText(at) : since(start, at, locale)}</span>,
    turn,
    picture: pictureOf(lane, turn),
    what: (
      <>
        {nameOf(moment, payment)}
        {amount !== null && (
          <>
            {' '}
            <Money {...{ amount, currency, locale }} />
          </>
        )}
      </>
    ),
    who: words.lanes[lane],
    ...(event !== null && { reference: <Id id={event.id} href={pageOf('event', event.id)} of={events.event} /> }),
    ...(event !== null && { details: <Deliveries deliveries={deliveries} /> }),
  }
}

function nameOf({ what, event }: ConsoleMoment, { session_id, status, code }: ConsolePayment): string {
  if (event !== null) return events.types[event.type]
  if (what === 'ended' && status === 'failed' && code !== null) return story.failed[code].what.replace(/\.$/, '')
  return what === 'created' && session_id === null ? words.charged : words.moments[what]
}

const TURN_PICTURES: Record<Turn, ComponentChildren> = {
  good: <Icon name="check" />,
  bad: <Icon name="cross" />,
  yours: <Sign name="arrow" />,
  calm: null,
}

const pictureOf = (lane: HistoryLane, turn: Turn) =>
  lane === 'cardholder' && turn === 'good' ? <Icon name="key" /> : TURN_PICTURES[turn]

/** Where an event went, and what became of that. */
function Deliveries({ deliveries }: Pick<ConsoleMoment, 'deliveries'>) {
  if (deliveries.length === 0) return <p class="moment-who">{words.toNowhere}</p>
  return (
    <ul class="moment-deliveries">
      {deliveries.map(({ id, state, attempt_count }) => (
        <li key={id}>
          <a href={pageOf('delivery', id)}>{words.deliveries[state]}</a> · {words.attempts(attempt_count)}
        </li>
      ))}
    </ul>
  )
}

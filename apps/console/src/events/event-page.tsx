import type { ConsoleEventView } from '@mintmark/contract/wire/console'
import { Badge } from '@mintmark/ui/badge.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import { pageOf } from '../ids.ts'
import { CopyButton, Id } from '../parts/copy.tsx'
import { Json } from '../parts/json.tsx'
import { Bones, LostPage, Page, Tidings } from '../parts/page.tsx'
import { FactList } from '../parts/rows.tsx'
import { exactText, Time } from '../parts/time.tsx'
import { useReading } from '../reading.ts'
import { words } from '../text/events/words.ts'
import { words as payments } from '../text/payments/words.ts'
import { words as common } from '../text/shell/words.ts'
import { DELIVERY_TONES } from '../webhooks/tones.ts'
import { resourcePage } from './resource.ts'

/** One event: in words, as JSON beside them, and where it went. */
export function EventPage({ id }: { id: string }) {
  const path = `events/${encodeURIComponent(id)}`
  const { view, lost, isNewer, isStale, again, show } = useReading<ConsoleEventView>(path)
  if (lost !== undefined) return <LostPage lost={lost} again={again} />
  if (view === undefined) return <Bones title={words.title} />
  const { event, deliveries } = view
  const name = words.types[event.type]
  return (
    <Page
      title={name}
      name={name}
      crumb={
        <>
          <a href="/events">{words.back}</a> <span aria-hidden="true">/</span> <Id id={event.id} of={words.event} />
        </>
      }
      under={
        <>
          <span class="mono hint">{event.type}</span>
          <span class="hint">{words.happened(exactText(event.occurred_at))}</span>
        </>
      }
    >
      <Tidings news={isNewer ? common.changed : ''} isStale={isStale} show={show} />
      <div class="columns">
        <Panel title={words.json} aside={<CopyButton text={JSON.stringify(event, null, 2)} label={words.copyJson} />}>
          <div class="panel-body">
            <Json value={event} />
          </div>
        </Panel>
        <div class="beside">
          <About event={event} />
          <Panel title={words.where}>
            {deliveries.length === 0 ? (
              <p class="none">{words.nowhere}</p>
            ) : (
              <ul class="ways">
                {deliveries.map(({ id: delivery, state, attempt_count }) => (
                  <li key={delivery}>
                    <a href={pageOf('delivery', delivery)}>
                      <Badge tone={DELIVERY_TONES[state]}>{payments.deliveries[state]}</Badge>{' '}
                      <span class="hint">{payments.attempts(attempt_count)}</span>
                    </a>
                  </li>
                ))}
              </ul>
            )}
          </Panel>
        </div>
      </div>
    </Page>
  )
}

function About({ event: { resource, occurred_at, type } }: Pick<ConsoleEventView, 'event'>) {
  const label = words.resources[resource.type]
  return (
    <Panel title={words.words}>
      <FactList
        facts={[
          [label, <Id key="id" id={resource.id} href={resourcePage(resource.type, resource.id)} of={label} />],
          [words.version, String(resource.version)],
          [
            words.kind,
            <span key="kind" class="mono">
              {type}
            </span>,
          ],
          [words.time, <Time key="time" at={occurred_at} />],
        ]}
      />
    </Panel>
  )
}

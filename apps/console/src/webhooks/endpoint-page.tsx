import { DELIVERY_STATES } from '@mintmark/contract/webhooks'
import type { ConsoleEndpoints } from '@mintmark/contract/wire/console'
import type { WebhookDelivery, WebhookDeliveryList } from '@mintmark/contract/wire/deliveries'
import type { WebhookEndpoint } from '@mintmark/contract/wire/webhooks'
import { Badge } from '@mintmark/ui/badge.tsx'
import { LINES } from '../curl.ts'
import { pageOf } from '../ids.ts'
import { type ListSource, useList } from '../list.ts'
import { CodeLine, Id } from '../parts/copy.tsx'
import { chosenOf, Filters } from '../parts/filters.tsx'
import { ListBody } from '../parts/list-body.tsx'
import { Bones, Empty, LostPage, Page } from '../parts/page.tsx'
import { Row } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { useReading } from '../reading.ts'
import { who } from '../session.ts'
import { words as common } from '../text/shell/words.ts'
import { words } from '../text/webhooks/words.ts'
import { AttemptsPicture } from './attempts-picture.tsx'
import { Incident } from './incident.tsx'
import { DELIVERY_TONES, ENDPOINT_TONES } from './tones.ts'

const shownAtOnce = () => true

function sourceOf(id: string, state: string): ListSource<WebhookDelivery, WebhookDeliveryList> {
  const path = `webhooks/${encodeURIComponent(id)}/deliveries`
  return {
    path,
    key: `${path} ${state}`,
    after: 'cursor',
    itemsOf: ({ data }) => data,
    nextOf: ({ next_cursor }) => next_cursor,
    idOf: (delivery) => delivery.id,
    isWanted: (delivery) => state === '' || delivery.state === state,
  }
}

/** One endpoint: what does not arrive, how attempts went, and every delivery. */
export function EndpointPage({ id }: { id: string }) {
  // How it stands is one word in a place of its own: it changes there.
  const { view, lost, again } = useReading<ConsoleEndpoints>('webhooks', { asItComes: shownAtOnce })
  const state = chosenOf('state', DELIVERY_STATES)
  const list = useList(sourceOf(id, state))
  if (lost !== undefined) return <LostPage lost={lost} again={again} />
  if (view === undefined) return <Bones title={words.title} />
  const endpoint = view.endpoints.find((each) => each.id === id)
  if (endpoint === undefined) return <LostPage lost="unknown" again={again} />
  const newest = list.first?.data ?? []
  return (
    <Page
      title={<bdi>{endpoint.name}</bdi>}
      name={endpoint.name}
      crumb={
        <>
          <a href="/webhooks">{words.back}</a> <span aria-hidden="true">/</span> <Id id={id} of={words.ids.endpoint} />
        </>
      }
      under={<Under endpoint={endpoint} />}
    >
      <Incident endpoint={endpoint} deliveries={newest} isMore={list.first?.next_cursor !== null} />
      {newest.length > 0 && <AttemptsPicture deliveries={newest} />}
      <h2 class="section-title">{words.deliveries}</h2>
      <Filters
        label={words.filterBy}
        name="state"
        chosen={state}
        all={words.all}
        values={DELIVERY_STATES.map((each) => [each, words.deliveryStates[each]])}
      />
      <ListBody
        list={list}
        label={words.deliveries}
        columns={[words.columns.event, words.columns.state, words.columns.attempts, words.columns.made]}
        row={(delivery) => <DeliveryRow key={delivery.id} delivery={delivery} />}
        empty={
          state === '' ? (
            <Empty text={words.deliveriesNone}>
              <CodeLine line={LINES.test(who.value?.api_url, id)} label={words.deliveriesNone} />
            </Empty>
          ) : (
            <Empty text={common.noneOf}>
              <a href={pageOf('endpoint', id)}>{common.showAll}</a>
            </Empty>
          )
        }
      />
    </Page>
  )
}

function Under({ endpoint: { state, url, events } }: { endpoint: WebhookEndpoint }) {
  return (
    <>
      <Badge tone={ENDPOINT_TONES[state]}>{words.states[state]}</Badge>
      <span class="mono hint">
        <bdi>{url}</bdi>
      </span>
      <span class="hint" title={events.join('\n')}>
        {words.kinds(events.length)}
      </span>
    </>
  )
}

function DeliveryRow({ delivery }: { delivery: WebhookDelivery }) {
  const { id, event_type, event_id, test, replay_of, state, attempt_count, last_attempt, created_at } = delivery
  const answer = last_attempt?.http_status
  return (
    <Row
      cells={[
        <>
          <a class="row-link mono" href={pageOf('delivery', id)}>
            {event_type}
          </a>
          <span class="cell-note">
            <Id id={event_id} href={test ? undefined : pageOf('event', event_id)} of={words.ids.event} />
            {test && ` ${words.test}`}
            {replay_of !== null && ` ${words.replay}`}
          </span>
        </>,
        <span class="cell-states">
          <Badge tone={DELIVERY_TONES[state]}>{words.deliveryStates[state]}</Badge>
          {last_attempt !== null && (
            <span class="hint">
              {answer === null || answer === undefined ? words.noAnswer : words.answered(answer)}
            </span>
          )}
        </span>,
        words.attemptOf(attempt_count),
        <Time at={created_at} />,
      ]}
    />
  )
}

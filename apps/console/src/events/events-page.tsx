import type { ConsoleEvents } from '@mintmark/contract/wire/console'
import { LINES } from '../curl.ts'
import { pageOf } from '../ids.ts'
import { type ListSource, useList } from '../list.ts'
import { CodeLine, Id } from '../parts/copy.tsx'
import { ListBody } from '../parts/list-body.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { Row } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { words } from '../text/events/words.ts'
import { resourcePage } from './resource.ts'

type Listed = ConsoleEvents['events'][number]

const SOURCE: ListSource<Listed, ConsoleEvents> = {
  path: 'events',
  key: 'events',
  after: 'before',
  itemsOf: ({ events }) => events,
  nextOf: ({ next_before }) => next_before,
  idOf: ({ id }) => id,
}

export function EventsPage() {
  const list = useList(SOURCE)
  const { what, about, id, time } = words.columns
  return (
    <Page title={words.title} name={words.title}>
      <ListBody
        list={list}
        label={words.title}
        columns={[what, about, id, time]}
        row={(event) => <EventRow key={event.id} event={event} />}
        empty={
          <Empty text={words.none}>
            <CodeLine line={LINES.trigger()} label={words.none} />
          </Empty>
        }
      />
    </Page>
  )
}

function EventRow({ event: { id, type, resource_type, resource_id, occurred_at } }: { event: Listed }) {
  return (
    <Row
      cells={[
        <>
          <a class="row-link" href={pageOf('event', id)}>
            {words.types[type]}
          </a>
          <span class="cell-note mono">{type}</span>
        </>,
        <>
          {words.resources[resource_type]}
          <span class="cell-note">
            <Id id={resource_id} href={resourcePage(resource_type, resource_id)} of={words.resources[resource_type]} />
          </span>
        </>,
        <Id id={id} of={words.event} />,
        <Time at={occurred_at} />,
      ]}
    />
  )
}

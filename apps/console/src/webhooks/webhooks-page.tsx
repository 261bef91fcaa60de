import type { ConsoleEndpoints } from '@mintmark/contract/wire/console'
import type { WebhookEndpoint } from '@mintmark/contract/wire/webhooks'
import { Badge } from '@mintmark/ui/badge.tsx'
import { LINES } from '../curl.ts'
import { pageOf } from '../ids.ts'
import { CodeLine, Id } from '../parts/copy.tsx'
import { Bones, Empty, LostPage, Page, Tidings } from '../parts/page.tsx'
import { Row, RowList } from '../parts/rows.tsx'
import { useReading } from '../reading.ts'
import { who } from '../session.ts'
import { words as common } from '../text/shell/words.ts'
import { words } from '../text/webhooks/words.ts'
import { Incident } from './incident.tsx'
import { ENDPOINT_TONES } from './tones.ts'

/** What does not arrive comes first, then every endpoint. */
export function WebhooksPage() {
  const { view, lost, isNewer, isStale, again, show } = useReading<ConsoleEndpoints>('webhooks')
  if (lost !== undefined) return <LostPage lost={lost} again={again} />
  if (view === undefined) return <Bones title={words.title} />
  const { endpoints } = view
  const { endpoint, state, kinds, id } = words.endpointColumns
  return (
    <Page title={words.title} name={words.title}>
      <Tidings news={isNewer ? common.changed : ''} isStale={isStale} show={show} />
      {endpoints.map((each) => (
        <Incident key={each.id} endpoint={each} name={<bdi>{each.name}</bdi>} />
      ))}
      {endpoints.length === 0 ? (
        <Empty text={words.none}>
          <CodeLine line={LINES.endpoint(who.value?.api_url)} label={words.none} />
          <p>{words.noneListen}</p>
          <CodeLine line={LINES.listen()} label={words.noneListen} />
        </Empty>
      ) : (
        <RowList label={words.endpoints} columns={[endpoint, state, kinds, id]}>
          {endpoints.map((each) => (
            <EndpointRow key={each.id} endpoint={each} />
          ))}
        </RowList>
      )}
    </Page>
  )
}

function EndpointRow({ endpoint: { id, name, url, state, events } }: { endpoint: WebhookEndpoint }) {
  return (
    <Row
      cells={[
        <>
          <a class="row-link" href={pageOf('endpoint', id)}>
            <bdi>{name}</bdi>
          </a>
          <span class="cell-note mono">
            <bdi>{url}</bdi>
          </span>
        </>,
        <Badge tone={ENDPOINT_TONES[state]}>{words.states[state]}</Badge>,
        words.kinds(events.length),
        <Id id={id} of={words.ids.endpoint} />,
      ]}
    />
  )
}

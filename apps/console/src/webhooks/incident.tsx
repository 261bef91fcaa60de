import type { WebhookDelivery } from '@mintmark/contract/wire/deliveries'
import type { WebhookEndpoint } from '@mintmark/contract/wire/webhooks'
import type { ComponentChildren } from 'preact'
import { LINES } from '../curl.ts'
import { pageOf } from '../ids.ts'
import { CodeLine } from '../parts/copy.tsx'
import { StoryPanel } from '../parts/story-panel.tsx'
import { Time } from '../parts/time.tsx'
import { who } from '../session.ts'
import { words } from '../text/webhooks/words.ts'
import { NEXT_ACTS, reasonOf } from './incident-rules.ts'
import { causeOf } from './story.ts'

interface IncidentProps {
  endpoint: WebhookEndpoint
  /** Those that are known, the newest first; and whether there are more. */
  deliveries?: readonly WebhookDelivery[]
  isMore?: boolean
  /** Its endpoint, where there are several incidents. */
  name?: ComponentChildren
}

/** What does not arrive, why, and three steps; nothing where all arrives. */
export function Incident({ endpoint, deliveries = [], isMore = false, name }: IncidentProps) {
  const reason = reasonOf(endpoint, deliveries)
  if (reason === undefined) return null
  const { title, why, cause, steps } = words.incidents[reason]
  const waiting = deliveries.filter(({ state }) => state === 'queued')
  const newest = deliveries.find(({ last_attempt: last }) => last?.category)
  const seen = newest === undefined ? undefined : causeOf(words.story, newest)
  const since = endpoint.open_incident?.opened_at
  const lines = NEXT_ACTS[reason].map((act) => LINES[act](who.value?.api_url, endpoint.id))
  return (
    <StoryPanel tone={reason === 'failing' || reason === 'circuit_open' ? 'bad' : 'warn'} title={name ?? title}>
      {name !== undefined && <p>{title}</p>}
      {waiting.length > 0 && (
        <p>
          <b>{words.waitingOf(waiting.length, isMore && waiting.length === deliveries.length)}</b>
        </p>
      )}
      <p>
        {seen !== undefined && `${seen.why} `}
        {why}{' '}
        {since !== undefined && (
          <span class="hint">
            (<Time at={since} />)
          </span>
        )}
      </p>
      <ol class="way-out">
        {[words.causeSeen(cause), ...steps].map((step, index) => (
          <li key={step} class={index === 0 ? 'way-done' : ''}>
            <span class="way-mark" aria-hidden="true">
              {index === 0 ? '✓' : index + 1}
            </span>
            {step}
          </li>
        ))}
      </ol>
      {lines.length > 0 && <CodeLine line={lines.join('\n')} label={words.doIt} />}
      {newest !== undefined && (
        <p>
          <a href={pageOf('delivery', newest.id)}>{words.toEndpoint}</a>
        </p>
      )}
      {name !== undefined && (
        <p>
          <a href={pageOf('endpoint', endpoint.id)}>{words.toEndpoint}</a>
        </p>
      )}
    </StoryPanel>
  )
}

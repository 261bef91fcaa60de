import type { PauseReason } from '@mintmark/contract/webhooks'
import type { WebhookDelivery } from '@mintmark/contract/wire/deliveries'
import type { WebhookEndpoint } from '@mintmark/contract/wire/webhooks'

type Reason = PauseReason | 'failing'

/** Why an endpoint does not get what it should; undefined: it does. */
export function reasonOf(
  endpoint: Pick<WebhookEndpoint, 'pause_reason'>,
  deliveries: readonly Pick<WebhookDelivery, 'state' | 'last_attempt'>[] = [],
): Reason | undefined {
  if (endpoint.pause_reason !== null) return endpoint.pause_reason
  // The newest word of the endpoint itself: what waits behind it has none yet.
  const asked = deliveries.filter(({ last_attempt: last }) => last?.finished_at)
  const [newest] = asked.toSorted((one, other) => timeOf(other) - timeOf(one))
  return newest !== undefined && newest.state !== 'delivered' && newest.state !== 'cancelled' ? 'failing' : undefined
}

const timeOf = ({ last_attempt: last }: Pick<WebhookDelivery, 'last_attempt'>) => Date.parse(last?.started_at ?? '')

/** What is typed for the next step, one act a line; none where the next step is at the receiver. */
export const NEXT_ACTS: Record<Reason, readonly ('verify' | 'enable')[]> = {
  not_enabled: ['enable'],
  unverified: ['verify', 'enable'],
  url_changed: ['verify', 'enable'],
  circuit_open: [],
  gone: ['verify', 'enable'],
  forbidden_address: ['verify', 'enable'],
  failing: [],
}

/** A single figure for the time that an endpoint takes: the middle of what it took. */
export function middleAnswer(deliveries: readonly Pick<WebhookDelivery, 'last_attempt'>[]): number | undefined {
  const took = deliveries
    .flatMap(({ last_attempt: last }) =>
      last?.finished_at && last.http_status !== null
        ? [Date.parse(last.finished_at) - Date.parse(last.started_at)]
        : [],
    )
    .toSorted((one, other) => one - other)
  return took[Math.floor(took.length / 2)]
}

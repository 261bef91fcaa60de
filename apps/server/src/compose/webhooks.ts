import { send } from '../platform/egress/send.ts'
import type { Metrics } from '../platform/metrics.ts'
import { deliveryJobs } from '../webhooks/delivery/jobs.ts'
import { createDeliveryService, type DeliveryDeps } from '../webhooks/delivery/service.ts'
import { openSecrets } from '../webhooks/secrets.ts'
import { createWebhookService, type WebhookDeps } from '../webhooks/service.ts'
import type { Ground } from './ground.ts'
import { countedSend } from './metrics.ts'

type Below = Pick<
  WebhookDeps,
  'pool' | 'clock' | 'events' | 'seals' | 'vault' | 'merchants' | 'policy' | 'callerWaitMillis' | 'incidentListeners'
>

/** What sends to servers of merchants. */
export function composeWebhooks({ config, log, outside = {} }: Ground, below: Below, metrics: Metrics) {
  const { webhookHeaderPrefix: headerPrefix, environment, leaseSeconds } = config
  const isOn = config.webhookDelivery === 'on'
  const deliveryDeps: DeliveryDeps = {
    ...below,
    log,
    leaseSeconds,
    isOn,
    headerPrefix,
    staleMillis: outside.stale,
    send: countedSend(metrics, (request) => send({ ...request, method: 'POST', policy: below.policy })),
    openSecrets: (merchantId, endpoint) => openSecrets(below, { merchantId, endpointId: endpoint.id }, endpoint),
  }
  const deliveries = createDeliveryService(deliveryDeps)
  const own = { log, environment, headerPrefix, isOn, deliveries }
  const webhooks = createWebhookService({ ...below, ...own })
  return { webhooks, deliveries, deliveryJobs: deliveryJobs(deliveryDeps, deliveries) }
}

import { webhookPolicy } from '../platform/egress/policy.ts'
import { createWebhookService, type WebhookDeps, type WebhookService } from '../webhooks/service.ts'
import type { Ground } from './ground.ts'

type Below = Pick<WebhookDeps, 'pool' | 'clock' | 'events' | 'vault' | 'merchants'>

/** What sends to servers of merchants. */
export function composeWebhooks({ config, log }: Ground, below: Below): WebhookService {
  return createWebhookService({
    ...below,
    environment: config.environment,
    log,
    policy: webhookPolicy({ allowLoopback: config.webhookAllowLoopback }),
    headerPrefix: config.webhookHeaderPrefix,
    isDelivering: config.webhookDelivery === 'on',
  })
}

import type { Job } from '../jobs/loop.ts'
import type { WebhookService } from './service.ts'

export function webhookJobs(webhooks: WebhookService): Job[] {
  return [{ name: 'webhooks.forget_former_secrets', restMillis: 60_000, run: () => webhooks.forgetFormerSecrets(100) }]
}

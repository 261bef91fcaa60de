import type { Environment } from '@mintmark/contract'
import type { CommandDeps } from '../db/command.ts'
import type { MerchantService } from '../merchants/service.ts'
import type { EgressPolicy } from '../platform/egress/policy.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { Vault } from '../vault/service.ts'
import type { DeliverySwitch } from './delivering.ts'
import type { IncidentListener } from './delivery/incidents.ts'
import type { DeliveryService } from './delivery/service.ts'

export interface WebhookDeps extends CommandDeps, DeliverySwitch {
  vault: Pick<Vault, 'sealText' | 'unsealText'>
  merchants: Pick<MerchantService, 'getWebhookSecret' | 'prepareWebhookSecret' | 'replaceWebhookSecret'>
  environment: Environment
  seals: RowSeals
  log: Log
  /** Where endpoints may be. */
  policy: EgressPolicy
  /** How long a caller waits for the answer of a receiver. */
  callerWaitMillis: number
  /** What the older headers begin with. */
  headerPrefix: string
  deliveries: Pick<DeliveryService, 'insertTest' | 'sendAlone'>
  incidentListeners: readonly IncidentListener[]
}

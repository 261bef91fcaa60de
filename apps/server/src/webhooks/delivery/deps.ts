import type { CommandDeps } from '../../db/command.ts'
import type { Log } from '../../platform/log.ts'
import type { RowSeals } from '../../platform/row-seals.ts'
import type { Secret } from '../../platform/secret.ts'
import type { DeliverySwitch } from '../delivering.ts'
import type { IncidentListener } from './incidents.ts'
import type { SendResult } from './rules.ts'
import type { Endpoint } from './store.ts'

export interface DeliveryDeps extends CommandDeps, DeliverySwitch {
  log: Log
  seals: RowSeals
  leaseSeconds: number
  /** What the names of the older headers begin with (`WEBHOOK_HEADER_PREFIX`). */
  headerPrefix: string
  /** One guarded request (`platform/egress`). It never throws for what the other side does. */
  send(request: { url: string; headers: Record<string, string>; body: string }): Promise<SendResult>
  /** The secrets that sign for an endpoint now, the newest first. Opening one may be a call to a key service. */
  openSecrets(merchantId: string, endpoint: Endpoint, at: Date): Promise<readonly Secret[]>
  /** Are told of incidents in the transaction that opens or closes them. */
  incidentListeners: readonly IncidentListener[]
  /** How much later than its place was taken a request may still be sent; longer than that of the product only in tests. */
  staleMillis?: number | undefined
}

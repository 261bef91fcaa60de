import type { CommandDeps } from '../db/command.ts'
import type { Asking } from '../escalations/service.ts'
import type { MandateService } from '../mandates/service.ts'
import type { NetworkEvents } from '../network/events-port.ts'
import type { CardNetwork } from '../network/port.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { Vault } from '../vault/service.ts'
import type { Delegations } from './delivery-port.ts'
import type { Following } from './observed-rules.ts'
import type { Places } from './places.ts'

export interface ChargeDeps extends CommandDeps {
  vault: Pick<Vault, 'sealCredential' | 'unsealCredential' | 'sealShopToken' | 'unsealShopToken'>
  network: Pick<CardNetwork, 'mint' | 'inquire' | 'confirm' | 'release'>
  mandates: MandateService
  escalations: Asking
  delegations: Delegations
  places: Places
  seals: RowSeals
  log: Log
  /** What the network tells by itself; null: nothing. */
  networkEvents: NetworkEvents | null
  following: Following
  /** How often the network's list of news is read. */
  pullSeconds: number
  /** How long one process holds an open network call before another may take it over. */
  leaseSeconds: number
  /** How long a caller waits for the network's word. */
  callerWaitMillis: number
}

export interface ChargeRef {
  merchantId: string
  chargeId: string
}

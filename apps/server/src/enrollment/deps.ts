import type { BinService } from '../bins/service.ts'
import type { CardService } from '../cards/service.ts'
import type { CreateOnceDeps } from '../db/create-once.ts'
import type { WorkDeps } from '../jobs/work.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { Vault } from '../vault/service.ts'

export interface EnrollmentDeps extends CreateOnceDeps, WorkDeps {
  vault: Pick<Vault, 'openCard' | 'sealCard' | 'fingerprint' | 'provision'>
  bins: Pick<BinService, 'judge'>
  cards: Pick<CardService, 'keep'>
  seals: RowSeals
  log: Log
  /** How long a caller waits for the network's word. */
  callerWaitMillis: number
}

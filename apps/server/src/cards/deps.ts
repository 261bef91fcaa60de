import type { CommandDeps } from '../db/command.ts'
import type { CardNetwork } from '../network/port.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { Vault } from '../vault/service.ts'

export interface CardDeps extends CommandDeps {
  vault: Pick<Vault, 'sealCard' | 'findRecord' | 'provision'>
  network: Pick<CardNetwork, 'completeStepUp'>
  seals: RowSeals
  log: Log
}

/** Why a change of a card captures no event. */
export const NO_EVENT = 'Merchants see no cards; no event type tells of one.'

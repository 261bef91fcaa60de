import type { Environment } from '@mintmark/contract'
import type { CardService } from '../cards/service.ts'
import type { Clock } from '../platform/clock.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { SessionService } from '../sessions/service.ts'

export interface CardholderDeps {
  clock: Clock
  environment: Environment
  seals: RowSeals
  sessions: SessionService
  cards: CardService
}

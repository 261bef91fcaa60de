import type { Environment } from '@mintmark/contract'
import type { SurfaceOperator } from '@mintmark/contract/wire/surface'
import type { CardService } from '../cards/service.ts'
import type { Clock } from '../platform/clock.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { SessionService } from '../sessions/service.ts'

export interface CardholderDeps {
  clock: Clock
  environment: Environment
  operator: SurfaceOperator
  /** Where owners manage their agents; null: there is no such page. */
  ownerUrl: string | null
  seals: RowSeals
  sessions: SessionService
  cards: CardService
}

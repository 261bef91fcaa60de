import type { Environment } from '@mintmark/contract'
import type { SurfaceOperator } from '@mintmark/contract/wire/surface'
import type { ApprovalService } from '../approvals/service.ts'
import type { CardService } from '../cards/service.ts'
import type { CommandDeps } from '../db/command.ts'
import type { CardEntry } from '../network/capabilities.ts'
import type { PasskeyService } from '../passkeys/service.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { SessionService } from '../sessions/service.ts'

export interface CardholderDeps extends CommandDeps {
  environment: Environment
  operator: SurfaceOperator
  /** How a card comes to the network. */
  cardEntry: CardEntry
  seals: RowSeals
  sessions: SessionService
  cards: CardService
  passkeys: Pick<PasskeyService, 'readAssertion'>
  /** When an owner was recovered, while that is told of; null of everybody else. */
  recoveredAt(customer: { merchantId: string; customerId: string }): Promise<Date | null>
  approvals: Pick<ApprovalService, 'requestRemoval' | 'verifyRemoval' | 'evidenceOf' | 'sentenceOf'>
}

import type { Environment } from '@mintmark/contract'
import type { SurfaceOperator } from '@mintmark/contract/wire/surface'
import type { ApprovalService } from '../approvals/service.ts'
import type { CommandDeps } from '../db/command.ts'
import type { MandateService } from '../mandates/service.ts'
import type { MerchantService } from '../merchants/service.ts'
import type { PasskeyService } from '../passkeys/service.ts'
import type { VisitTokens } from './token.ts'

export interface PermissionDeps extends CommandDeps {
  environment: Environment
  operator: SurfaceOperator
  tokens: VisitTokens
  merchants: Pick<MerchantService, 'findMerchant'>
  mandates: Pick<MandateService, 'list' | 'pause' | 'resume' | 'cancel'>
  passkeys: PasskeyService
  /** False in the week after an owner was recovered: who has their passkey then may be another person. */
  mayWiden(customer: { merchantId: string; customerId: string }): Promise<boolean>
  approvals: Pick<ApprovalService, 'requestResume' | 'verifyResume' | 'evidenceOf'>
}

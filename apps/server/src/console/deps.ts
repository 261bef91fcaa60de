import type { Environment } from '@mintmark/contract'
import type { ConsoleRole } from '@mintmark/contract/console'
import type { ApprovalService } from '../approvals/service.ts'
import type { CommandDeps } from '../db/command.ts'
import type { EventService } from '../events/service.ts'
import type { MailService } from '../mail/service.ts'
import type { MandateService } from '../mandates/service.ts'
import type { MerchantService } from '../merchants/service.ts'
import type { PasskeyService } from '../passkeys/service.ts'
import type { Device } from '../platform/device.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { DeliveryService } from '../webhooks/delivery/service.ts'
import type { WebhookService } from '../webhooks/service.ts'

/** What the operator's commands use of it. */
export interface InvitingDeps extends CommandDeps {
  seals: RowSeals
  /** The operator's own account, where people are: one of them may look after several accounts. */
  operatorId: string
  /** Makes that account, unless it is there. */
  ensureAccount(): Promise<void>
  merchants: Pick<MerchantService, 'findMerchant'>
  mail: Pick<MailService, 'invitationMail' | 'sendsMail'>
}

export interface ConsoleDeps extends InvitingDeps {
  log: Log
  environment: Environment
  merchants: Pick<MerchantService, 'findMerchant' | 'listKeys' | 'createKey' | 'rollKey' | 'endKey' | 'demoMerchantId'>
  mandates: Pick<MandateService, 'list' | 'find'>
  approvals: Pick<ApprovalService, 'sentenceOf'>
  feed: Pick<EventService, 'find'>
  webhooks: Pick<WebhookService, 'list'>
  deliveries: Pick<DeliveryService, 'list' | 'find' | 'replay'>
  passkeys: Pick<
    PasskeyService,
    | 'assertionOptions'
    | 'discoveryOptions'
    | 'issueRegistration'
    | 'registrationOptions'
    | 'readRegistration'
    | 'readAssertion'
    | 'register'
    | 'verify'
  >
  mail: Pick<
    MailService,
    'invitationMail' | 'invitationOfLink' | 'sendsMail' | 'openVisit' | 'proveVisit' | 'provenEmail'
  >
}

/** A person who is signed in at the console. */
export interface ConsoleCaller {
  /** The account that they look at. */
  merchantId: string
  personId: string
  name: string
  /** Null: of the demo account. */
  email: string | null
  role: ConsoleRole
  sessionId: string
  /** Null: the demo account was opened by one press. */
  passkeyId: string | null
  /** The hash of the session's token. */
  digest: Buffer
  /** When that ends at the latest. */
  expiresAt: Date
}

/** What is known of a browser that signs in. */
export interface Arrival {
  device: Device
  /** The token of the session that it had, which ends. */
  former: string | undefined
}

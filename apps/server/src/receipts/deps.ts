import type { Environment } from '@mintmark/contract'
import type { CommandDeps } from '../db/command.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { Secret } from '../platform/secret.ts'
import type { Vault } from '../vault/service.ts'

export interface ReceiptDeps extends CommandDeps {
  log: Log
  seals: RowSeals
  vault: Pick<Vault, 'sealText' | 'unsealText'>
  environment: Environment
  /** Makes the names that owners have in receipts. */
  subjectsKey: Secret<Buffer>
  /** The origin that signs: where the keys are published. */
  ownerUrl: string
  /** What the passkeys of owners are made for. */
  rpId: string
  /** The operator's own account, whose customers the owners are. */
  merchantId: string
}

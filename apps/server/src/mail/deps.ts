import type { CommandDeps } from '../db/command.ts'
import type { WorkDeps } from '../jobs/work.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { Secret } from '../platform/secret.ts'
import type { Mailer } from './port.ts'

export interface MailDeps extends CommandDeps, WorkDeps {
  log: Log
  seals: RowSeals
  mailer: Mailer
  /** The sender's address. */
  from: string
  /** The name by which people know the operator. */
  operatorName: string
  surfaceUrl: string
  /** Where owners answer. */
  ownerUrl: string
  /** By which the secrets of links are made. */
  linksKey: Secret<Buffer>
}

import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { Queryable } from '../db/statement.ts'
import { wake } from '../jobs/wake.ts'
import { addSeconds } from '../platform/clock.ts'
import { newOrderedId } from '../platform/ids.ts'
import type { Secret } from '../platform/secret.ts'
import type { MailDeps } from './deps.ts'
import type { RecoveryFacts } from './recovery-words.ts'
import { NOTICE_SECONDS } from './rules.ts'
import { SEND_JOB } from './store.ts'

// An owner is told of a recovery at their address, by the statement that writes what has become of it.

interface RecoveryRef {
  merchantId: string
  recoveryId: string
}

/** The parameters of `tellOfRecovery`. */
export const recoveryMail = (_deps: MailDeps, on: Queryable, facts: RecoveryFacts, at: Date) => {
  wake(on, SEND_JOB)
  return { mailId: newOrderedId('mail', at), mailFacts: facts, mailEndsAt: addSeconds(at, NOTICE_SECONDS) }
}

/** The page that the mail names. What is behind the `#` is sent to no server by opening it, and kept by no log. */
export const stopUrl = ({ ownerUrl, linksKey }: Pick<MailDeps, 'ownerUrl' | 'linksKey'>, ref: RecoveryRef): string =>
  `${ownerUrl}/stop-recovery#${ref.recoveryId}.${macOf(linksKey, ref)}`

/** The recovery that the holder of a link may stop. Undefined: no mail has named this one. */
export function recoveryOfLink({ linksKey }: MailDeps, merchantId: string, token: string): string | undefined {
  const [recoveryId = '', mac = ''] = token.split('.')
  const [own, given] = [Buffer.from(macOf(linksKey, { merchantId, recoveryId })), Buffer.from(mac)]
  return own.length === given.length && timingSafeEqual(own, given) ? recoveryId : undefined
}

/** Made from the name of the recovery with a key, and stored nowhere: a reader of the database can open no link. */
function macOf(key: Secret<Buffer>, { merchantId, recoveryId }: RecoveryRef): string {
  return createHmac('sha256', createSecretKey(key.reveal()))
    .update(`stop-recovery.${merchantId}.${recoveryId}`)
    .digest('base64url')
}

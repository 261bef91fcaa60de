import type { Change } from '../db/command.ts'
import { wake } from '../jobs/wake.ts'
import { addSeconds } from '../platform/clock.ts'
import { newId } from '../platform/ids.ts'
import type { MailKind } from './states.ts'
import * as store from './store.ts'

interface NewMail {
  merchantId: string
  contactId: string
  kind: MailKind
  incidentId: string | null
  facts: store.Facts
  /** How long it is tried. */
  seconds: number
}

/** Puts a mail into the outbox, in the transaction of its cause. A notice that is there already is not written again. */
export async function queueMail({ tx, at }: Change, { seconds, ...mail }: NewMail): Promise<void> {
  const id = newId('mail')
  const inserted = await store.insertMail(tx, { ...mail, id, at, endsAt: addSeconds(at, seconds) })
  if (inserted === undefined) return
  await store.insertWork(tx, { merchantId: mail.merchantId, id, at })
  wake(tx, store.SEND_JOB)
}

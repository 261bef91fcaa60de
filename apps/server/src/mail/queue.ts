import type { Change } from '../db/command.ts'
import { wake } from '../jobs/wake.ts'
import { addSeconds } from '../platform/clock.ts'
import { idBefore, newOrderedId } from '../platform/ids.ts'
import { MAX_CONTACTS, MAX_NOTICES } from './rules.ts'
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

const HOUR_SECONDS = 60 * 60
/** As many as an account can have in an hour: two kinds of notices, and as many links again. */
const MAX_LOOKED = MAX_CONTACTS * MAX_NOTICES * 4

/**
 * Puts a mail into the outbox, in the transaction of its cause. A notice that is there already is not written again, nor one more than a
 * contact is told of in an hour.
 */
export async function queueMail({ tx, at }: Change, { seconds, ...mail }: NewMail): Promise<void> {
  const id = newOrderedId('mail', at)
  const since = idBefore('mail', addSeconds(at, -HOUR_SECONDS))
  const bound = { since, most: MAX_NOTICES, looked: MAX_LOOKED }
  const inserted = await store.insertMail(tx, { ...mail, ...bound, id, at, endsAt: addSeconds(at, seconds) })
  if (inserted === undefined) return
  await store.insertWork(tx, { merchantId: mail.merchantId, id, at })
  wake(tx, store.SEND_JOB)
}

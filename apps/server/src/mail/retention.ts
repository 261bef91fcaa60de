import { single } from '../db/command.ts'
import { addSeconds } from '../platform/clock.ts'
import { idBefore } from '../platform/ids.ts'
import type { MailDeps } from './deps.ts'
import { KEPT_SECONDS } from './rules.ts'
import { deleteOld, findMerchantWithOld } from './store.ts'

/**
 * One step of a walk over the merchants: deletes at most `limit` mails of one that have ended and are old. Returns where the
 * walk stands, and null when nothing is left. Any number of processes may walk.
 */
export async function deleteOldMails(
  deps: MailDeps,
  after: string,
  limit: number,
): Promise<{ deleted: number; next: string } | null> {
  const before = idBefore('mail', addSeconds(deps.clock.now(), -KEPT_SECONDS))
  const found = await findMerchantWithOld(deps.pool, { after, before })
  if (found === undefined) return null
  const { merchantId } = found
  const deleted = await single(deps, { name: 'mail.delete_old', silent: 'past' }, ({ on }) =>
    deleteOld(on, { merchantId, before, limit }),
  )
  // A full page: this merchant may have more.
  return { deleted, next: deleted < limit ? merchantId : after }
}

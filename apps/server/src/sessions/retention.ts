import type { ChargeStatus } from '@mintmark/contract'
import { single } from '../db/command.ts'
import { addSeconds } from '../platform/clock.ts'
import { idBefore } from '../platform/ids.ts'
import type { SessionDeps } from './deps.ts'
import { deleteOld, findMerchantWithOld } from './retention-store.ts'

const DAY_SECONDS = 24 * 60 * 60
const ENDED: readonly ChargeStatus[] = ['completed', 'failed']

/** Where a walk over the old sessions of all merchants stands. */
export interface Place {
  merchantId: string
  /** The last session that was looked at; empty: this merchant is done. */
  sessionId: string
}
export const WALK_START: Place = { merchantId: '', sessionId: '' }

/**
 * One step of that walk: deletes, of at most `limit` sessions of one merchant, those whose time is over with the evidence of
 * their approval. Null: nothing is left. Any number of processes may walk.
 */
export async function deleteOldSessions(
  deps: SessionDeps,
  from: Place,
  limit: number,
): Promise<{ deleted: number; next: Place } | null> {
  const endedBefore = addSeconds(deps.clock.now(), -deps.retentionDays * DAY_SECONDS)
  const before = idBefore('session', endedBefore)
  const merchantId = from.sessionId === '' ? await merchantAfter(deps, from, before) : from.merchantId
  if (merchantId === undefined) return null
  const page = await single(deps, { name: 'sessions.delete_old', silent: 'past' }, ({ on }) =>
    deleteOld(on, { merchantId, after: from.sessionId, before, endedBefore, ended: ENDED, limit }),
  )
  const { lastId = null, lookedAt = 0, deleted = 0 } = page ?? {}
  return { deleted, next: { merchantId, sessionId: lookedAt < limit ? '' : (lastId ?? '') } }
}

async function merchantAfter({ pool }: SessionDeps, { merchantId }: Place, before: string) {
  return (await findMerchantWithOld(pool, { after: merchantId, before }))?.merchantId
}

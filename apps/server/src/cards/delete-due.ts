import { command, rollback, single } from '../db/command.ts'
import { workBeside } from '../jobs/handle.ts'
import type { Job } from '../jobs/loop.ts'
import { wake } from '../jobs/wake.ts'
import type { Claim } from '../jobs/work.ts'
import { addSeconds } from '../platform/clock.ts'
import { deleteNow, tokenOf } from './deletion.ts'
import * as store from './deletion-store.ts'
import type { CardDeps } from './deps.ts'
import { shred } from './shred.ts'

// Cards whose deletion was begun, and cards that are not kept. The latter are deleted when the sessions that they are
// for have ended: the work is due then, at the latest when the time of such a session is over. What is due is looked at again
// here, under the lock of the card, which every entry of it takes as well.

/** When a card is looked at again that is still needed, if nothing says earlier that it is not. */
const LOOK_AGAIN_SECONDS = 15
/** A card that the network has not accepted may still be on its way there: a request takes a sixth of this at most. */
const ON_ITS_WAY_SECONDS = 60

type Due = Claim & { dueAt: Date }

/** Cards of one process at a time. Many of them wait for the network. */
const MAX_AT_ONCE = 20

/** Deletes what is due, each card by itself. One that the network does not delete is tried again, later each time. */
export function deleting(deps: CardDeps): Job {
  return workBeside(deps, store.deletions, {
    name: store.DELETION_JOB,
    limit: MAX_AT_ONCE,
    handle: (work) => handle(deps, work),
  })
}

/** False: to be tried again. */
async function handle(deps: CardDeps, work: Due): Promise<boolean> {
  const { merchantId, id: cardId } = work
  const until = await begin(deps, work)
  if (until !== null) return putOff(deps, work, until)
  const card = await store.findEnding(deps.pool, { merchantId, cardId })
  if (card === undefined || card.endingReason === null) {
    await single(deps, { name: 'cards.finish_deletion', silent: 'work' }, ({ on }) => store.finishDeletion(on, work))
    return true
  }
  // Null: another one has written what came of it.
  await deleteNow(deps, card, card.endingReason)
  return true
}

/**
 * Begins the deletion of a card that is not kept and that no session needs any more; a card that was never
 * accepted ends with it. Returns until when it is needed; null: not at all.
 */
async function begin(deps: CardDeps, { merchantId, id: cardId }: Due): Promise<Date | null> {
  const needed: { until: Date | null } = { until: null }
  await command(deps, { name: 'cards.begin_to_end', silent: 'card' }, async ({ tx, at }) => {
    const card = await store.lockOnce(tx, { merchantId, cardId })
    if (card === undefined) return rollback
    // A statement of its own: it sees what was committed while the lock was waited for.
    const use = await deps.findUse(tx, { merchantId, cardId })
    needed.until = neededUntil(card, use?.until ?? null, at)
    if (needed.until !== null) return rollback
    if (card.status === 'provisioning')
      return (await shred(tx, { merchantId, cardId, enrolment: card.enrolment }, at)) || rollback
    tokenOf(deps, card)
    await store.updateEnding(tx, { merchantId, cardId, reason: 'JUST_ONCE' })
    return true
  })
  return needed.until
}

function neededUntil({ status, updatedAt }: store.OnceCard, usedUntil: Date | null, at: Date): Date | null {
  const onItsWay = addSeconds(updatedAt, ON_ITS_WAY_SECONDS)
  if (usedUntil === null) return status === 'provisioning' && onItsWay > at ? onItsWay : null
  const soon = addSeconds(at, LOOK_AGAIN_SECONDS)
  return usedUntil > soon ? usedUntil : soon
}

async function putOff(deps: CardDeps, work: Due, until: Date): Promise<boolean> {
  const { merchantId, id: cardId, leaseFence, dueAt } = work
  await single(deps, { name: 'cards.put_off_deletion', silent: 'work' }, ({ on }) => {
    // The loop has looked while this was in hand, and knows of no time.
    wake(on, store.DELETION_JOB)
    return store.updatePutOff(on, { merchantId, cardId, leaseFence, dueAt, until })
  })
  return true
}

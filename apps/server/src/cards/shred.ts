import { command, rollback } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { addSeconds } from '../platform/clock.ts'
import type { CardDeps } from './deps.ts'
import { ABANDONED_AFTER_SECONDS, networkCardId } from './rules.ts'
import * as store from './store.ts'

export interface CardRef {
  merchantId: string
  cardId: string
}
/** One enrollment of a card: what is ended of it leaves a later one alone. */
export type CardEnrollmentRef = CardRef & { enrolment: number }

/** Ends a card that was not accepted, and destroys its number. False when it was accepted or ended before. */
export async function shred(on: Queryable, card: CardEnrollmentRef, at: Date): Promise<boolean> {
  const { cardId: id, enrolment } = card
  return (await store.updateDeleted(on, { ...card, networkCardId: networkCardId({ id, enrolment }), at })) !== undefined
}

/** Ends a card whose time to be accepted is over. Locked inside its merchant, and looked at again there: false when it has ended. */
export async function shredDue(deps: CardDeps, card: CardRef): Promise<boolean> {
  const shredded = await command(deps, { name: 'cards.shred_abandoned', silent: 'card' }, async ({ tx, at }) => {
    const before = addSeconds(at, -ABANDONED_AFTER_SECONDS)
    const due = await store.lockDueCard(tx, { ...card, before })
    if (due === undefined) return rollback
    return (await shred(tx, { ...card, enrolment: due.enrolment }, at)) ? true : rollback
  })
  return shredded !== null
}

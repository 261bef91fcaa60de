// Guarantee: wherever the service dies while it deletes a card, the card is deleted with all that it pays, or it is as it was, its
// token included, without a merchant asking again; one that asks again deletes it, once.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteCard } from '../../src/cards/testing/enrolled.ts'
import { chargeable } from '../../src/charges/testing/charge.ts'
import { type DatabaseClock, startDatabaseClock } from '../../src/db/clock.ts'
import { newOwner } from '../../src/mandates/testing/standing.ts'
import { EVENTS } from '../events.ts'
import { type Caller, eventually, note } from '../processes/program.ts'
import type { Answer, TestMerchant, TestService } from '../service.ts'
import { openStage, SIDES, type Stage, type Staged } from './stage.ts'
import { commits, runs, sweepKills, type Victim } from './sweep.ts'

let stage: Stage
let clock: DatabaseClock
beforeAll(async () => {
  stage = await openStage()
  clock = await startDatabaseClock(stage.database.pool)
})
afterAll(async () => {
  clock?.stop()
  await stage?.close()
})

const service = () => ({ pool: stage.database.pool, clock }) as TestService
/** Whose card it is. */
const users = new Map<string, string>()

/** An active card of a customer of its own, which pays a standing mandate; returns the card. */
async function prepareCard(caller: Caller): Promise<string> {
  const { rows } = await stage.database.pool.query<{ id: string }>('select id from merchants')
  const merchant = { ...caller, merchantId: rows[0]?.id } as TestMerchant
  await clock.refresh()
  const owner = await newOwner(service(), merchant)
  const mandateId = await chargeable(service(), owner)
  const found = await stage.database.pool.query<{ card_id: string }>('select card_id from mandates where id = $1', [
    mandateId,
  ])
  const cardId = found.rows[0]?.card_id ?? ''
  users.set(cardId, owner.userId)
  return cardId
}

const remove = (caller: Caller, cardId: string): Promise<Answer> =>
  deleteCard(caller as TestMerchant, users.get(cardId) ?? '', cardId)

/** The card with all that hangs on it, here and at the network. */
async function readCard(cardId: string) {
  const { rows } = await stage.database.pool.query(
    `select c.status, c.version, c.vault_record_id is not null as number,
       (select t.state from simnet.tokens t where t.card_id = c.id) as token,
       array(select e.type from ${EVENTS} e where e.resource_id = c.id) as events,
       array(select m.status from mandates m where m.card_id = c.id and not m.per_checkout) as mandates,
       array(select e.type from ${EVENTS} e join mandates m on m.id = e.resource_id
         where m.card_id = c.id and not m.per_checkout) as mandate_events,
       array(select i.state from simnet.instructions i join mandates m on m.id = i.mandate_id
         where m.card_id = c.id and not m.per_checkout) as instructions
     from cards c where c.id = $1`,
    [cardId],
  )
  expect(rows).toHaveLength(1)
  return rows[0]
}

const ACTIVE = { status: 'active', version: 0, number: true, events: [], mandates: ['active'], mandate_events: [] }
const DELETED = {
  ...{ status: 'deleted', version: 1, number: false, token: 'deleted', events: ['card.deleted'] },
  ...{ mandates: ['cancelled'], mandate_events: ['mandate.cancelled'], instructions: ['cancelled'] },
}

test.each(SIDES)('killed %s every message of the deletion of a card', async (when) => {
  const stops = [
    commits('cards.insert_deletion'),
    commits('simnet.end_token'),
    runs('cards.update_ended'),
    commits('cards.update_ended'),
  ]
  const sweep = { when, least: 14, stops, prepare: prepareCard, act: remove }
  const found = await sweepKills(stage, sweep, expectAllOrNothing)
  note(`Deletion of a card, killed ${when} each of ${found.length} messages: ${found.join(' ')}`)
})

async function expectAllOrNothing({ merchant }: Staged, { sessionId: cardId, answer, reached, place }: Victim) {
  await eventually(async () => {
    const { rows } = await stage.database.pool.query(`select id from open_work where kind = 'deletion' and id = $1`, [
      cardId,
    ])
    return rows.length === 0 ? true : undefined
  })
  const left = await readCard(cardId)
  // A worker has finished what was begun.
  if (reached === 0) expect(left, place).toMatchObject({ ...ACTIVE, token: 'active' })
  else expect(left, place).toEqual(DELETED)
  // What was acknowledged is there.
  if (answer?.status === 200) expect(left.status).toBe('deleted')
  const again = await remove(merchant, cardId)
  const result = { success: true, card_id: cardId, was_default: true, network_token_deleted: true }
  expect(again).toMatchObject({ status: 200, body: result })
  expect(await readCard(cardId)).toEqual(DELETED)
  // The worker has told the network, and nothing is left to do.
  await eventually(async () => {
    const { rows } = await stage.database.pool.query(
      `select w.id from open_work w join mandates m on m.id = w.id where m.card_id = $1 and not m.per_checkout`,
      [cardId],
    )
    return rows.length === 0 ? true : undefined
  })
  return left.status as string
}

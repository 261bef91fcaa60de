// Guarantee: wherever the service dies while a card is entered for one payment alone, or while that payment is reported, the card
// is gone when the payment is over, here and at the network, without a caller asking.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EVENTS } from '../events.ts'
import { type Caller, eventually, note } from '../processes/program.ts'
import { type Answer, call, jsonRequest, sessionBody } from '../service.ts'
import { approve, openStage, outcomeOf, SIDES, type Stage, type Staged } from './stage.ts'
import { commits, sweepKills, type Victim } from './sweep.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

const CARD = { card_number: '4242424242424242', expiry_month: '12', expiry_year: '2040', cvv: '123', once: true }

/** How a session's page is reached: where it was made, and with what. */
const pages = new Map<string, { origin: string; token: string }>()

async function prepareSession(merchant: Caller, user_id: string): Promise<string> {
  const { status, body } = await merchant.post('/v1/sessions', sessionBody({ user_id }))
  expect(status, JSON.stringify(body)).toBe(201)
  pages.set(body.session_id, { origin: new URL(body.iframe_url).origin, token: body.session_token })
  return body.session_id
}

function post(sessionId: string, path: string, body?: unknown, at?: string): Promise<Answer> {
  const { origin = '', token = '' } = pages.get(sessionId) ?? {}
  return call((at ?? origin) + path, jsonRequest(`Bearer ${token}`, body))
}

/** The cards of a session's customer, with all that is left of them, once no deletion is open, here or at the network. */
async function cardsOf(sessionId: string) {
  return eventually(async () => {
    const { rows } = await stage.database.pool.query(
      `select c.status, c.accepted_at is not null as accepted, c.once_sessions, c.ending_reason, c.vault_record_id is not null as number,
         (select t.state from simnet.tokens t where t.card_id = c.id) as token,
         array(select e.type from ${EVENTS} e where e.resource_id = c.id) as events,
         (select count(*)::int from open_work w where w.kind in ('deletion', 'token') and w.id = c.id) as work
       from cards c join sessions s on s.merchant_id = c.merchant_id and s.customer_id = c.customer_id where s.id = $1`,
      [sessionId],
    )
    return rows.every(({ work }) => work === 0) ? rows : undefined
  })
}

const GONE = { status: 'deleted', once_sessions: null, ending_reason: null, number: false, work: 0 }

test.each(SIDES)('killed %s every message of an entry', async (when) => {
  const settle = async ({ merchant, program }: Staged, { sessionId, reached, place }: Victim) => {
    // Its cardholder gives up; or its time is over by now, because of the ones before.
    await post(sessionId, '/api/cancel', undefined, program.surfaceUrl)
    expect((await merchant.post('/v1/test_helpers/clock/advance', { seconds: 61 })).status).toBe(200)
    const cards = await cardsOf(sessionId)
    for (const { accepted, token, events, ...card } of cards) {
      expect(card).toEqual(GONE)
      // Also one whose answer was lost leaves no token; one that was accepted is told of.
      expect({ token, events }).toEqual({ token: 'deleted', events: accepted ? ['card.deleted'] : [] })
    }
    const left = cards.map(({ accepted }) => (accepted ? 'accepted' : 'begun')).join() || 'none'
    expect(left, place).toBe(['none', 'begun', 'begun', 'accepted'][reached])
    return left
  }
  const sweep = {
    when,
    least: 4,
    stops: [
      commits('sessions.insert_entered_card'),
      commits('simnet.claim_token'),
      commits('sessions.update_accepted'),
    ],
    prepare: (merchant: Caller, at: number) => prepareSession(merchant, `entry-${when}-${at}`),
    act: (_: Caller, sessionId: string) => post(sessionId, '/api/cards', CARD),
  }
  const found = await sweepKills(stage, sweep, settle)
  note(`Entry just this once, killed ${when} each of ${found.length} messages: ${found.join(' ')}`)
})

test.each(SIDES)('killed %s every message of its report', async (when) => {
  const items = new Map<string, string>()
  const report = (merchant: Caller, sessionId: string) =>
    merchant.post(`/v1/sessions/${sessionId}/report-status`, {
      txn_ref_id: items.get(sessionId),
      txn_status: 'APPROVED',
    })
  const sweep = {
    when,
    least: 4,
    stops: [commits('sessions.claim_report'), commits('charges.update_paid')],
    async prepare(merchant: Caller, at: number) {
      const sessionId = await prepareSession(merchant, `report-${when}-${at}`)
      expect((await post(sessionId, '/api/cards', CARD)).body).toMatchObject({ card_once: true })
      await approve(merchant, sessionId)
      const { transactions } = await outcomeOf(merchant, sessionId)
      items.set(sessionId, transactions[0].line_items[0].txn_ref_id)
      return sessionId
    },
    act: report,
  }
  const found = await sweepKills(stage, sweep, async ({ merchant }, { sessionId }) => {
    expect((await report(merchant, sessionId)).status).toBe(200)
    const [card, ...more] = await cardsOf(sessionId)
    expect(more).toEqual([])
    expect(card).toEqual({ ...GONE, accepted: true, token: 'deleted', events: ['card.deleted'] })
  })
  note(`Report of a payment with a card that is not kept, killed ${when} each of ${found.length} messages`)
})

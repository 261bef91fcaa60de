// Guarantee: one of any number of deletions takes effect; from its acknowledgement on no credential is made of the card or can be
// spent, whatever caller was charging, approving or entering it meanwhile, on however many nodes.
import { afterAll, describe, expect, test } from 'vitest'
import { cardholder, newAuthenticator } from '../../test/cardholder.ts'
import { atOnce, blocked, CARDS, countBy, createSession, dbRow, newUser, paymentResult } from '../../test/flows.ts'
import { startTestNodes } from '../../test/service.ts'
import { charge, chargeable, onNodes, outcomeOf } from '../charges/testing/charge.ts'
import { newOwner } from '../mandates/testing/standing.ts'
import { cardsOf, deleteCard, enrollCard, eventsAbout } from './testing/enrolled.ts'

const { service, others, nodes: services, nodeAt, close } = await startTestNodes()
afterAll(close)
const { merchant } = service
/** The same merchant, at each of three nodes. */
const nodes = onNodes(merchant, services)

const at = (index: number) => nodes[index % nodes.length] ?? merchant

/**
 * The answer to a deletion, as a caller gets it who asks until it is one. `NETWORK_DELETE_FAILED` says that the network was silent for
 * too long, which on a busy machine is so: nothing was acknowledged then, and asking again is safe.
 */
async function deleted(index: number, userId: string, cardId: string) {
  for (;;) {
    const answer = await deleteCard(at(index), userId, cardId)
    if (answer.body.error?.code !== 'NETWORK_DELETE_FAILED') return answer
  }
}

/** The credentials that the network made of a card's tokens and that could still be spent. */
async function spendable(cardId: string): Promise<number> {
  const { count } = await dbRow(
    service,
    `select count(*)::int as count from simnet.mints n join simnet.instructions i on i.mandate_id = n.mandate_id
       join simnet.tokens t on t.token_ref = i.token_ref
     where t.card_id = $1 and n.credential_state = 'open'`,
    [cardId],
  )
  return count
}

/** Lets open questions be answered; then everything here has ended that the card paid. */
async function expectOver(cardId: string): Promise<void> {
  await service.clock.advance(60)
  await Promise.all(others.map(({ clock }) => clock.refresh()))
  await service.runJobs()
  const { rows } = await service.pool.query(
    `select 'charge' as what, id, status from charges where card_id = $1 and status = 'minting'
     union all select 'mandate', id, status from mandates where card_id = $1 and status in ('pending', 'active', 'paused')
     union all select 'work', w.id, w.kind from open_work w join mandates m on m.id = w.id and w.kind = 'mandate' where m.card_id = $1`,
    [cardId],
  )
  expect(rows).toEqual([])
  expect(await spendable(cardId)).toBe(0)
}

test('48 deletions on three nodes have one effect, one event and one result', async () => {
  const owner = await newOwner(service)
  const mandate = await chargeable(service, owner)
  const { card_id } = await dbRow(service, 'select card_id from mandates where id = $1', [mandate])
  const second = await enrollCard(service, merchant, owner.userId, CARDS.amex)
  const answers = await atOnce(48, (index) => deleted(index, owner.userId, card_id))
  const result = { success: true, card_id, was_default: true, network_token_deleted: true }
  for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 200, body: result })
  expect((await eventsAbout(service, card_id)).map(({ type }) => type)).toEqual(['card.deleted'])
  expect((await eventsAbout(service, mandate)).map(({ type }) => type)).toEqual(['mandate.cancelled'])
  expect(await cardsOf(merchant, owner.userId)).toEqual([`${second} active*`, `${card_id} deleted`])
  await expectOver(card_id)
})

test('all cards of a customer deleted at once: each once, and none is left as the default', async () => {
  const user = newUser()
  const numbers = [CARDS.success, '5555555555554444', CARDS.amex, '6011111111111117', '3566002020360505']
  const ids: string[] = []
  for (const number of numbers) ids.push(await enrollCard(service, merchant, user, number))
  const kept = ids[2] ?? ''
  const gone = ids.filter((id) => id !== kept)
  const answers = await Promise.all(gone.map((id, index) => deleted(index, user, id)))
  expect(answers.map(({ status }) => status)).toEqual(gone.map(() => 200))
  const cards = await cardsOf(merchant, user)
  expect(cards[0]).toBe(`${kept} active*`)
  expect(cards.filter((card) => card.endsWith('*'))).toHaveLength(1)
  expect((await deleted(0, user, kept)).body).toMatchObject({ was_default: true })
})

describe('while 60 callers charge its mandates', () => {
  test('none gets a credential after the acknowledgement, and none that is out can be spent', async () => {
    const owner = await newOwner(service)
    const mandates = await Promise.all([1, 2, 3].map(() => chargeable(service, owner)))
    const { card_id } = await dbRow(service, 'select card_id from mandates where id = $1', [mandates[0]])
    let acknowledged = false
    const late: string[] = []
    const charging = atOnce(60, async (index) => {
      const outcomes: string[] = []
      for (let round = 0; round < 4; round += 1) {
        const isLate = acknowledged
        const mandateId = mandates[(index + round) % mandates.length] ?? ''
        const outcome = outcomeOf(await charge(at(index), mandateId, { amount: '1.00' }))
        if (isLate) late.push(outcome)
        outcomes.push(outcome)
      }
      return outcomes
    })
    expect((await deleted(0, owner.userId, card_id)).status).toBe(200)
    acknowledged = true
    expect(await spendable(card_id)).toBe(0)
    const outcomes = countBy((await charging).flat(), (outcome) => outcome)
    // Those that were begun before may have got one, which is closed at the network, or the network's refusal.
    const known = ['awaiting_result', 'CARD_DECLINED', 'PAYMENT_FAILED', 'MANDATE_NOT_ACTIVE']
    expect(Object.keys(outcomes).filter((outcome) => !known.includes(outcome))).toEqual([])
    expect(new Set(late)).toEqual(new Set(['MANDATE_NOT_ACTIVE']))
    await expectOver(card_id)
  })
})

describe('while it is approved in 12 sessions', () => {
  test('no approval that it overtakes leaves a credential or a mandate behind', async () => {
    const user = newUser()
    const authenticator = newAuthenticator(service)
    const visit = async () => {
      const session = await createSession(merchant, { user_id: user })
      return { id: session.session_id, page: cardholder(service, session.session_token, authenticator) }
    }
    const first = await visit()
    await first.page.pay(CARDS.success)
    const { card_id } = await dbRow(service, 'select card_id from sessions where id = $1', [first.id])
    // Each passkey signature counts: what comes out of order is refused, so each approval is of a person of its own.
    const people = await atOnce(12, async (index) => {
      const [mine, own] = [newUser(), newAuthenticator(service)]
      const { session_id, session_token } = await createSession(merchant, { user_id: mine })
      const page = cardholder(service, session_token, own)
      await page.enterCard(CARDS.success)
      await page.registerPasskey()
      const { card_id: id } = await dbRow(service, 'select card_id from sessions where id = $1', [session_id])
      return { index, user: mine, session_id, id, page }
    })
    const ends = await Promise.all(
      people.map(async ({ index, user: mine, session_id, id, page }) => {
        const approving = page.approve()
        expect((await deleted(index, mine, id)).status).toBe(200)
        expect(await spendable(id)).toBe(0)
        const approved = await approving
        return { session_id, id, approved }
      }),
    )
    await deleted(0, user, card_id)
    for (const { session_id, id } of ends) {
      await expectOver(id)
      const { status } = (await paymentResult(merchant, session_id)).body
      expect(['pending', 'failed', 'awaiting_result']).toContain(status)
    }
    const outcomes = countBy(ends, ({ approved }) => approved.body.error?.code ?? approved.body.step)
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(12)
  })
})

test('while it is entered again and again, it is deleted or active at the end, with one live token at most', async () => {
  const user = newUser()
  const id = await enrollCard(service, merchant, user)
  const sessions = await atOnce(8, () => createSession(merchant, { user_id: user }))
  const [entries, deletions] = await Promise.all([
    Promise.all(sessions.map(({ session_token }) => cardholder(service, session_token).enterCard(CARDS.success))),
    atOnce(8, (index) => deleted(index, user, id)),
  ])
  for (const { status } of deletions) expect(status).toBe(200)
  for (const { status, body } of entries) {
    // Overtaken by a deletion: it can be entered again.
    if (status !== 200) expect(['CARD_INACTIVE', 'CARD_REFUSED', 'SESSION_CHANGED']).toContain(body.error.code)
  }
  const card = await dbRow(service, 'select * from cards where id = $1', [id])
  const { rows } = await service.pool.query(
    `select card_id, token_ref from simnet.tokens where (card_id = $1 or card_id like $1 || '.%') and state = 'active'`,
    [id],
  )
  expect(['active', 'deleted']).toContain(card.status)
  const live = { card_id: card.enrolment === 1 ? id : `${id}.${card.enrolment}`, token_ref: card.network_token_ref }
  expect(rows).toEqual(card.status === 'active' ? [live] : [])
  // As many events as deletions that took effect, each of its version.
  const versions = (await eventsAbout(service, id)).map(({ resource }) => resource.version)
  expect(versions).toEqual(Array.from({ length: card.version }, (_, index) => index + 1))
  expect(card.version).toBeGreaterThan(0)
})

test('eight first cards of one customer at the same moment: one is the default, here and in the database', async () => {
  const user = newUser()
  const numbers = Array.from({ length: 8 }, (_, index) =>
    withCheckDigit(`42424200000${String(index).padStart(4, '0')}`),
  )
  const sessions = await atOnce(8, () => createSession(merchant, { user_id: user }))
  // Each has asked which card is the default before the first of them may write: none is.
  const client = await service.pool.connect()
  let entering: ReturnType<ReturnType<typeof cardholder>['enterCard']>[] = []
  try {
    await client.query('begin')
    await client.query('select 1 from sessions where id = any($1) for update', [
      sessions.map(({ session_id }) => session_id),
    ])
    entering = sessions.map(({ session_token }, index) =>
      cardholder(nodeAt(index), session_token).enterCard(numbers[index] ?? ''),
    )
    await expect.poll(() => blocked(service), { interval: 10 }).toBe(8)
    await client.query('commit')
  } finally {
    client.release()
  }
  const entered = await Promise.all(entering)
  expect(countBy(entered, ({ status, body }) => body.error?.code ?? status)).toEqual({ 200: 8 })
  const { rows } = await service.pool.query(
    `select c.is_default from cards c join customers u on u.id = c.customer_id where u.external_user_id = $1`,
    [user],
  )
  expect(rows).toHaveLength(8)
  expect(rows.filter(({ is_default }) => is_default)).toHaveLength(1)
  expect((await cardsOf(merchant, user)).filter((card) => card.endsWith('*'))).toHaveLength(1)
})

function withCheckDigit(digits: string): string {
  const doubled = [...digits].reverse().map((digit, place) => Number(digit) * (place % 2 === 0 ? 2 : 1))
  const sum = doubled.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

// Guarantee: one real card of one customer is one card, however often it is entered or deleted; nothing that is
// stored, at the network as little as here, tells that two customers or merchants have the same card.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blockedBy } from '../../test/blocked.ts'
import { cardholder, newAuthenticator } from '../../test/cardholder.ts'
import { atOnce, CARDS, createSession, dbRow, enroll, expectError, newUser, vaultRecord } from '../../test/flows.ts'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { cardsOf, deleteCard, enrollCard, eventsAbout, listCards } from './testing/enrolled.ts'

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({ isForCrowds: true })
  merchant = service.merchant
})
afterAll(() => service?.close())

const row = (id: string) => dbRow(service, 'select * from cards where id = $1', [id])
const tokens = async (cardId: string) => {
  const { rows } = await service.pool.query(
    `select card_id, state from simnet.tokens where card_id = $1 or card_id like $1 || '.%' order by card_id`,
    [cardId],
  )
  return rows.map(({ card_id, state }) => `${card_id.slice(cardId.length)} ${state}`)
}

describe('a card that was deleted and is entered again', () => {
  test('is the same card with another token, active, and belongs to no passkey', async () => {
    const user = newUser()
    const authenticator = newAuthenticator(service)
    const visit = async () =>
      cardholder(service, (await createSession(merchant, { user_id: user })).session_token, authenticator)
    await (await visit()).pay(CARDS.success)
    const { rows } = await service.pool.query(
      'select cards.id from cards join customers c on c.id = customer_id where external_user_id = $1',
      [user],
    )
    const id: string = rows[0].id
    const before = await row(id)
    expect(before.passkey_id).not.toBeNull()
    const deleted = await deleteCard(merchant, user, id)
    const again = await visit()
    expect((await again.enterCard(CARDS.success)).body).toMatchObject({ step: 'approval', card: { card_id: id } })
    const after = await row(id)
    expect(after).toMatchObject({
      status: 'active',
      enrolment: 2,
      passkey_id: null,
      deleted_at: null,
      is_default: true,
    })
    expect(after.network_token_ref).not.toBe(before.network_token_ref)
    expect(await tokens(id)).toEqual([' deleted', '.2 active'])
    expect(await cardsOf(merchant, user)).toEqual([`${id} active*`])
    expect((await listCards(merchant, { customer_id: user })).body.cards[0].created_at).toBe(
      after.accepted_at.toISOString(),
    )
    // It was proven in this session alone: another link does not spend it before it is approved here.
    const other = await visit()
    expect((await other.get('/api/session')).body.cards).toEqual([])
    expect((await again.approve()).body.step).toBe('done')
    // And it can be deleted again, with an event of its own.
    expect((await deleteCard(merchant, user, id)).body).toEqual(deleted.body)
    expect(await tokens(id)).toEqual([' deleted', '.2 deleted'])
    const events = (await eventsAbout(service, id)).map(({ type, resource }) => `${resource.version} ${type}`)
    expect(events).toEqual(['1 card.deleted', '2 card.deleted'])
  })

  test('also when it is deleted while the entry waits for its row', async () => {
    const user = newUser()
    const id = await enrollCard(service, merchant, user)
    const { session_token } = await createSession(merchant, { user_id: user })
    const deletion = `update cards set status = 'deleted', vault_record_id = null, is_default = false, deleted_at = now(),
      deletion_reason = 'OTHER', was_default = true, network_token_deleted = true where id = $1`
    const enter = () => cardholder(service, session_token).enterCard(CARDS.success)
    expect((await blockedBy(service, [deletion, [id]], enter)).body).toMatchObject({ card: { card_id: id } })
    expect(await row(id)).toMatchObject({ status: 'active', enrolment: 2 })
  })

  test('and refused then, stays deleted as it was', async () => {
    const user = newUser()
    const id = await enrollCard(service, merchant, user)
    const deleted = await deleteCard(merchant, user, id, { reason: 'STOLEN' })
    const before = await row(id)
    const { session_token } = await createSession(merchant, { user_id: user })
    expectError(await cardholder(service, session_token).enterCard(CARDS.success, '000'), 400, 'CARD_REFUSED')
    const { deleted_at, deletion_reason, accepted_at } = before
    expect(await row(id)).toMatchObject({ status: 'deleted', deleted_at, deletion_reason, accepted_at })
    expect((await deleteCard(merchant, user, id)).body).toEqual(deleted.body)
    expect(await eventsAbout(service, id)).toHaveLength(1)
    expect((await row(id)).vault_record_id).toBeNull()
    // A third time it is accepted.
    expect(await enrollCard(service, merchant, user)).toBe(id)
    expect(await tokens(id)).toEqual([' deleted', '.3 active'])
  })

  test('by its merchant alone, from the vault, is the same card as one that was typed', async () => {
    const user = newUser()
    const user_email = `${user}@example.com`
    const vault_ref_id = await vaultRecord(merchant)
    const provision = async () => (await enroll(merchant, { user_id: user, user_email, vault_ref_id })).body.card_id
    const id = await provision()
    expect(await enrollCard(service, merchant, user)).toBe(id)
    for (const enrolment of [2, 3]) {
      expect((await deleteCard(merchant, user, id)).status).toBe(200)
      expect(await cardsOf(merchant, user)).toEqual([`${id} deleted`])
      expect(await Promise.all([provision(), provision(), provision()])).toEqual([id, id, id])
      expect(await row(id)).toMatchObject({ status: 'active', enrolment, passkey_id: null })
      expect(await cardsOf(merchant, user)).toEqual([`${id} active*`])
    }
    expect(await tokens(id)).toEqual([' deleted', '.2 deleted', '.3 active'])
    const { rows } = await service.pool.query('select 1 from vault_records where id = $1', [vault_ref_id])
    expect(rows).toHaveLength(1)
  })

  test('in 16 tabs at once, is one card with one token and one number', async () => {
    const user = newUser()
    const id = await enrollCard(service, merchant, user)
    await deleteCard(merchant, user, id)
    const sessions = await atOnce(16, () => createSession(merchant, { user_id: user }))
    const answers = await Promise.all(
      sessions.map(({ session_token }) => cardholder(service, session_token).enterCard(CARDS.success)),
    )
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.card?.card_id}`))).toEqual(
      new Set([`200 ${id}`]),
    )
    expect(await tokens(id)).toEqual([' deleted', '.2 active'])
    const { rows } = await service.pool.query(
      `select v.id from vault_records v join cards c on c.vault_record_id = v.id where c.customer_id = $1`,
      [(await row(id)).customer_id],
    )
    expect(rows).toHaveLength(1)
  })

  test('while another deletion is asked for, reads as deleted until the network accepts it', async () => {
    const user = newUser()
    const id = await enrollCard(service, merchant, user, CARDS.stepUp)
    expect(await row(id)).toMatchObject({ status: 'provisioning' })
    const { session_token } = await createSession(merchant, { user_id: user })
    const visitor = cardholder(service, session_token)
    await visitor.enterCard(CARDS.stepUp)
    expect((await visitor.post('/api/cards/verify', { code: '123456' })).status).toBe(200)
    const deleted = await deleteCard(merchant, user, id)
    const again = cardholder(service, (await createSession(merchant, { user_id: user })).session_token)
    expect((await again.enterCard(CARDS.stepUp)).body.step).toBe('card_verification')
    expect(await cardsOf(merchant, user)).toEqual([`${id} deleted`])
    expect((await deleteCard(merchant, user, id)).body).toEqual(deleted.body)
    expect((await again.post('/api/cards/verify', { code: '123456' })).status).toBe(200)
    expect(await cardsOf(merchant, user)).toEqual([`${id} active*`])
  })
})

test('a card in four tabs at once, in one of them with a wrong code: the others are not told that it was refused', async () => {
  for (let round = 0; round < 12; round += 1) {
    const user = newUser()
    const tabs = await atOnce(4, async () =>
      cardholder(service, (await createSession(merchant, { user_id: user })).session_token),
    )
    const answers = await Promise.all(
      tabs.map((tab, index) => tab.enterCard(CARDS.success, index === 0 ? '000' : '123')),
    )
    const [wrong, ...right] = answers.map(({ status, body }) => body.error?.code ?? status)
    expect(wrong).toBe('CARD_REFUSED')
    expect(right).toEqual([200, 200, 200])
    expect(await cardsOf(merchant, user)).toEqual([expect.stringMatching(/ active\*$/)])
  }
})

/** Every cell that may be told apart: long enough not to be equal by chance, and not a name of the program's own. */
async function cellsOf(ids: readonly string[]): Promise<Map<string, Set<string>>> {
  const { rows: tables } = await service.pool.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relkind = 'r' and relnamespace in ('public'::regnamespace, 'simnet'::regnamespace)`,
  )
  const cells = new Map<string, Set<string>>()
  for (const { name } of tables) {
    const { rows } = await service.pool.query<{ row: Record<string, unknown> }>(
      `select to_jsonb(t) as row from ${name} t where to_jsonb(t)::text like any($1)`,
      [ids.map((id) => `%${id}%`)],
    )
    for (const { row } of rows) {
      for (const [column, value] of Object.entries(row)) {
        if (value === null) continue
        const cell = `${name}.${column}`
        cells.set(cell, (cells.get(cell) ?? new Set()).add(JSON.stringify(value)))
      }
    }
  }
  return cells
}

describe('the same card of two people', () => {
  /** Facts that many cards share and people are shown, and marks of every row. */
  const SHARED = [
    ...['merchant_id', 'last4', 'card_last4', 'brand', 'card_brand', 'exp_month', 'exp_year', 'design'],
    ...['status', 'state', 'behaviour', 'enrolment', 'version', 'is_default', 'step_up_pending', 'wrong_code_count'],
    ...['added_by', 'number_key_id', 'kind', 'integration_type', 'effective_minutes', 'proof', 'entry_once'],
    ...['currency', 'amount_minor', 'products', 'payee_name', 'payee_network_name', 'payee_url', 'payee_country'],
  ]
  const isShared = (cell: string) => SHARED.includes(cell.split('.').at(-1) ?? '')

  test.each(['of one merchant', 'of two merchants'])('%s cannot be seen to be one', async (which) => {
    const shop = which === 'of one merchant' ? merchant : await service.addMerchant()
    const people = [
      { as: merchant, user: newUser() },
      { as: shop, user: newUser() },
    ]
    const seen: Map<string, Set<string>>[] = []
    for (const { as, user } of people) {
      const id = await enrollCard(service, as, user)
      const { vault_record_id, network_token_ref, customer_id } = await row(id)
      await service.clock.advance(61)
      seen.push(await cellsOf([id, vault_record_id, network_token_ref, customer_id]))
    }
    const [one = new Map(), two = new Map()] = seen
    expect([...one.keys()]).toEqual(expect.arrayContaining(['cards.fingerprint', 'simnet.tokens.card_fingerprint']))
    const shared = [...one].flatMap(([cell, values]) =>
      [...values].filter((value) => !isShared(cell) && two.get(cell)?.has(value)).map((value) => `${cell} = ${value}`),
    )
    expect(shared).toEqual([])
  })

  test('and their deletions do not touch each other', async () => {
    const [one, two] = [newUser(), newUser()]
    const [first, second] = [await enrollCard(service, merchant, one), await enrollCard(service, merchant, two)]
    expect(first).not.toBe(second)
    await deleteCard(merchant, one, first)
    expect(await cardsOf(merchant, two)).toEqual([`${second} active*`])
    expect(await tokens(second)).toEqual([' active'])
  })
})

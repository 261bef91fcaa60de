import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blockedBy } from '../../test/blocked.ts'
import { cardholder } from '../../test/cardholder.ts'
import {
  atOnce,
  CARDS,
  complete,
  createSession,
  dbRow,
  enroll,
  expectCreated,
  expectError,
  expectInvalid,
  newUser,
  vaultRecord,
} from '../../test/flows.ts'
import { startTestService, type TestService } from '../../test/service.ts'

// Guarantee: a card that its merchant provisions alone is one card, however many ask, whatever the network does and whichever
// process asks; an unknown word of the network is never taken for a refusal; and no customer uses the card before they have proven it.

let service: TestService
let node: TestService
beforeAll(async () => {
  const options = { isForCrowds: true, lostMillis: 250, env: { RATE_LIMIT_ENROLLMENT: '100000' } }
  service = await startTestService(options)
  node = await startTestService({ ...options, database: service.database })
})
afterAll(async () => {
  await node?.close()
  await service?.close()
})

const cardsOf = async (userId: string) => {
  const { rows } = await service.pool.query(
    `select c.*, (select count(*)::int from open_work w where w.kind = 'card' and w.id = c.id) as work,
       (select t.state from simnet.tokens t where t.card_id = c.id) as token
     from cards c join customers u on u.merchant_id = c.merchant_id and u.id = c.customer_id
     where u.external_user_id = $1 order by c.created_at`,
    [userId],
  )
  return rows
}

describe('what is asked for', () => {
  test('201 with the card and nothing else, by default', async () => {
    const { merchant } = service
    const vault_ref_id = await vaultRecord(merchant)
    const user_id = newUser()
    const answer = await enroll(merchant, { user_id, vault_ref_id, consent_id: 'consent-1' })
    expectCreated(answer)
    expect(answer.body).toEqual({ card_id: expect.stringMatching(/^card_/) })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const [card, ...more] = await cardsOf(user_id)
    expect(more).toEqual([])
    expect(card).toMatchObject({
      id: answer.body.card_id,
      status: 'active',
      is_default: true,
      passkey_id: null,
      work: 0,
    })
    const named = await enroll(merchant, { user_id, vault_ref_id, enrollment_mode: 'provision_only' })
    expect(named.body).toEqual(answer.body)
  })

  test('that there is a consent is kept with the card, since when, and not what it is', async () => {
    const { merchant } = service
    const [vault_ref_id, user_id] = [await vaultRecord(merchant), newUser()]
    const of = async (body: object = {}) => {
      expectCreated(await enroll(merchant, { user_id, vault_ref_id, ...body }))
      return (await cardsOf(user_id))[0]
    }
    expect((await of()).consent_at).toBeNull()
    const given = await of({ consent_id: 'consent-77' })
    expect(given.consent_at).toBeInstanceOf(Date)
    expect((await of({ consent_id: 'consent-78' })).consent_at).toEqual(given.consent_at)
    expect((await of()).consent_at).toEqual(given.consent_at)
    expect(JSON.stringify(given)).not.toContain('consent-7')
    // Another enrollment of the same card needs its own.
    await merchant.post('/v1/deleteCard', { customer_id: user_id, card_id: given.id })
    expect(await of()).toMatchObject({ id: given.id, enrolment: 2, consent_at: null })
  })

  test('a consent is kept also where the network says nothing to the caller', async () => {
    const { merchant } = service
    const [vault_ref_id, user_id] = [await vaultRecord(merchant, { card_number: CARDS.provisionAnswerLost }), newUser()]
    expectError(await enroll(merchant, { user_id, vault_ref_id, consent_id: 'consent-1' }), 503, 'NETWORK_UNAVAILABLE')
    await service.clock.advance(60)
    await service.runJobs()
    const [card] = await cardsOf(user_id)
    expect(card).toMatchObject({ status: 'active', consent_at: expect.any(Date) })
  })

  test('a card of any script is provisioned without its cardholder, or refused with the reason', async () => {
    const { merchant } = service
    const of = async (number: string) =>
      enroll(merchant, { vault_ref_id: await vaultRecord(merchant, { card_number: number }) })
    expectCreated(await of(CARDS.stepUp))
    expectCreated(await of(CARDS.amex))
    expectError(await of(CARDS.binCountryRefused), 400, 'BIN_COUNTRY_NOT_ALLOWED')
    expectError(await of(CARDS.binIssuerRefused), 400, 'BIN_ISSUER_NOT_ALLOWED')
    expectError(await of(CARDS.refused), 400, 'CARD_REFUSED')
  })

  test('a refused card is ended; it can be asked for again, and the vault record stays the merchant’s', async () => {
    const { merchant } = service
    const [user_id, vault_ref_id] = [newUser(), await vaultRecord(merchant, { card_number: CARDS.refused })]
    for (let tries = 0; tries < 2; tries += 1) {
      expectError(await enroll(merchant, { user_id, vault_ref_id }), 400, 'CARD_REFUSED')
    }
    const cards = await cardsOf(user_id)
    expect(cards.map(({ status, work }) => [status, work])).toEqual([
      ['deleted', 0],
      ['deleted', 0],
    ])
    await dbRow(service, 'select 1 from vault_records where id = $1', [vault_ref_id])
  })

  test('fields of the other mode, unknown fields and texts that say nothing', async () => {
    const { merchant } = service
    const vault_ref_id = await vaultRecord(merchant)
    const refused = async (body: Record<string, unknown>, ...paths: string[]) =>
      expectInvalid(await enroll(merchant, { vault_ref_id, ...body }), ...paths)
    await refused({ integration_type: 'embedding' }, 'integration_type')
    await refused({ callback_url: 'https://shop.example' }, 'callback_url')
    await refused({ vault_ref_id: undefined }, 'vault_ref_id')
    await refused(
      { vault_ref_id: undefined, enrollment_mode: 'provision_only', user_id: ' ' },
      'user_id',
      'vault_ref_id',
    )
    await refused({ vault_ref_id: 'x' }, 'vault_ref_id')
    await refused({ vault_ref_id: '00000000-0000-4000-8000-000000000000' }, 'vault_ref_id')
    await refused({ enrollment_mode: 'both' }, 'enrollment_mode')
    await refused({ cvv: '123' }, 'cvv')
    await refused({ order_id: 'ord_1', total_amount: '1.00' }, 'order_id', 'total_amount')
    for (const consent_id of ['', ' ', '\u00a0\t', 'a\u0000b', 'a\nb', 'x'.repeat(256), 7, null]) {
      await refused({ consent_id }, 'consent_id')
    }
    for (const user_id of ['', '  ', 'x'.repeat(256), undefined]) await refused({ user_id }, 'user_id')
    await refused({ user_email: `${'a'.repeat(64)}@${'b.'.repeat(130)}example` }, 'user_email')
    expectInvalid(await merchant.post('/v1/sessions/enroll-card', []), 'body')
  })

  test('an email is needed once for each user_id of the merchant', async () => {
    const { merchant } = service
    const [user_id, vault_ref_id] = [newUser(), await vaultRecord(merchant)]
    const plain = { user_id, user_email: undefined, vault_ref_id }
    expectError(await enroll(merchant, plain), 400, 'ENROLL_USER_EMAIL_REQUIRED')
    expect(await cardsOf(user_id)).toEqual([])
    expectCreated(await enroll(merchant, { user_id, vault_ref_id }))
    expectCreated(await enroll(merchant, plain))
    await dbRow(service, `select 1 from customers where external_user_id = $1 and email = 'ann@example.com'`, [user_id])
    const other = await service.addMerchant()
    const theirs = { ...plain, vault_ref_id: await vaultRecord(other) }
    expectError(await enroll(other, theirs), 400, 'ENROLL_USER_EMAIL_REQUIRED')
  })

  test('a record of another merchant or of a cardholder is none, and an account must be set up', async () => {
    const { merchant } = service
    const other = await service.addMerchant()
    expectInvalid(await enroll(other, { vault_ref_id: await vaultRecord(merchant) }), 'vault_ref_id')
    const { session_id } = await createSession(merchant)
    await complete(merchant, session_id)
    const { id } = await dbRow(
      service,
      'select vault_record_id as id from cards where id = (select card_id from sessions where id = $1)',
      [session_id],
    )
    expectInvalid(await enroll(merchant, { vault_ref_id: id }), 'vault_ref_id')
    const bare = await service.addMerchant({ networkProfile: null })
    expectError(await enroll(bare, { vault_ref_id: await vaultRecord(bare) }), 500, 'CONFIG_ERROR')
  })
})

describe('one card', () => {
  test('however many ask at the same time, on two nodes', async () => {
    const { merchant } = service
    const [user_id, vault_ref_id] = [newUser(), await vaultRecord(merchant)]
    const there = { ...merchant, post: (path: string, body?: unknown) => callNode(path, body) }
    const callNode = async (path: string, body?: unknown) => {
      const response = await fetch(node.apiUrl + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${merchant.secretKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, headers: response.headers, body: await response.json() }
    }
    const answers = await atOnce(32, (index) => enroll(index % 2 === 0 ? merchant : there, { user_id, vault_ref_id }))
    for (const answer of answers) expectCreated(answer)
    expect(new Set(answers.map(({ body }) => body.card_id)).size).toBe(1)
    expect(await cardsOf(user_id)).toHaveLength(1)
  })

  test('of a caller who was overtaken while the network was asked', async () => {
    const { merchant } = service
    const [user_id, vault_ref_id] = [newUser(), await vaultRecord(merchant)]
    const overtake = async () => {
      const { rowCount } = await service.pool.query(
        `update open_work set lease_fence = lease_fence + 1, lease_until = null where kind = 'card' and lease_until is not null`,
      )
      expect(rowCount).toBe(1)
    }
    const holds = ['lock table simnet.tokens in share mode', []] as const
    const answer = await blockedBy(service, holds, () => enroll(merchant, { user_id, vault_ref_id }), overtake)
    expectCreated(answer)
    expect(await cardsOf(user_id)).toMatchObject([{ id: answer.body.card_id, status: 'active', work: 0 }])
  })

  test('where the answer was lost: 503, a worker finishes it, and the same call returns it', async () => {
    const { merchant } = service
    const [user_id, vault_ref_id] = [newUser(), await vaultRecord(merchant, { card_number: CARDS.provisionAnswerLost })]
    const lost = await enroll(merchant, { user_id, vault_ref_id })
    expectError(lost, 503, 'NETWORK_UNAVAILABLE')
    // The network has accepted it: what is not known here is not taken for a refusal.
    const [begun] = await cardsOf(user_id)
    expect(begun).toMatchObject({ status: 'provisioning', work: 1, token: 'active' })
    await service.clock.advance(60)
    await service.runJobs()
    expect(await cardsOf(user_id)).toMatchObject([{ id: begun.id, status: 'active', work: 0 }])
    const again = await enroll(merchant, { user_id, vault_ref_id })
    expect(again.body).toEqual({ card_id: begun.id })
  })

  test('where the answer was lost and the caller asks again at once', async () => {
    const { merchant } = service
    const [user_id, vault_ref_id] = [newUser(), await vaultRecord(merchant, { card_number: CARDS.provisionAnswerLost })]
    const answers = await atOnce(6, () => enroll(merchant, { user_id, vault_ref_id }))
    // The one that asked the network was told that it said nothing; the next one asked again, for all others.
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 503])
    expect(await cardsOf(user_id)).toMatchObject([{ status: 'active', work: 0, token: 'active' }])
  })

  test('a silent network is asked for longer than a half entered card is kept', async () => {
    const { merchant } = service
    const [user_id, vault_ref_id] = [newUser(), await vaultRecord(merchant, { card_number: CARDS.provisionAnswerLost })]
    await enroll(merchant, { user_id, vault_ref_id })
    await service.clock.advance(20 * 3600)
    // Asked, and the answer lost again.
    await service.pool.query(`delete from simnet.scripted_failures where failure = 'provision_answer_lost'`)
    await service.pool.query(
      `delete from simnet.tokens where card_id in (select id from cards where status = 'provisioning')`,
    )
    // One round: on a busy machine the next try may be due before all jobs have been asked.
    const provisioning = service.job('enrollment.provision')
    await provisioning.run()
    await provisioning.settled?.()
    expect(await cardsOf(user_id)).toMatchObject([{ status: 'provisioning', work: 1 }])
    await service.clock.advance(20 * 3600)
    await service.runJobs()
    expect(await cardsOf(user_id)).toMatchObject([{ status: 'active', work: 0 }])
  })

  test('the worker’s card that hangs keeps no other waiting', async () => {
    const { merchant } = service
    const begin = async () => {
      const vault_ref_id = await vaultRecord(merchant, { card_number: CARDS.provisionAnswerLost })
      const user_id = newUser()
      expectError(await enroll(merchant, { user_id, vault_ref_id }), 503, 'NETWORK_UNAVAILABLE')
      return user_id
    }
    const [hanging, other] = [await begin(), await begin()]
    const patient = await startTestService({ database: service.database, isForCrowds: true })
    await patient.clock.advance(60)
    const [{ id }] = await cardsOf(hanging)
    const client = await service.pool.connect()
    const provisioning = patient.job('enrollment.provision')
    try {
      await client.query('begin')
      await client.query('select 1 from simnet.tokens where card_id = $1 for update', [id])
      await provisioning.run()
      await expect.poll(() => cardsOf(other)).toMatchObject([{ status: 'active', work: 0 }])
      expect(await cardsOf(hanging)).toMatchObject([{ status: 'provisioning', work: 1 }])
    } finally {
      await client.query('rollback')
      client.release()
    }
    await provisioning.settled?.()
    expect(await cardsOf(hanging)).toMatchObject([{ status: 'active', work: 0 }])
    await patient.close()
  })

  test('a card that a cardholder left half entered is the same one', async () => {
    const { merchant } = service
    const user_id = newUser()
    const { session_id } = await createSession(merchant, { user_id })
    await complete(merchant, session_id, { card_number: CARDS.stepUp, stop_after: 'card' })
    const [begun] = await cardsOf(user_id)
    expect(begun).toMatchObject({ status: 'provisioning', step_up_pending: true })
    const answer = await enroll(merchant, {
      user_id,
      vault_ref_id: await vaultRecord(merchant, { card_number: CARDS.stepUp }),
    })
    expect(answer.body).toEqual({ card_id: begun.id })
    // The session has not proven it all the same.
    await dbRow(service, 'select 1 from sessions where id = $1 and proven_card_id is null', [session_id])
  })
})

test('nobody uses a card that was only provisioned before they have proven it, by its CVV and the network’s code', async () => {
  const { merchant } = service
  const user_id = newUser()
  const { body } = await enroll(merchant, { user_id, vault_ref_id: await vaultRecord(merchant) })
  const chosen = await createSession(merchant, { user_id })
  expectError(await complete(merchant, chosen.session_id, { card_id: body.card_id }), 400, 'CARD_NOT_FOUND')
  const { session_id } = await createSession(merchant, { user_id, card: { card_id: body.card_id } })
  const begun = await complete(merchant, session_id, { stop_after: 'card' })
  expect(begun.body).toMatchObject({ next_step: 'card_verification', card_id: body.card_id })
  expect((await complete(merchant, session_id)).body).toMatchObject({ outcome: 'approved', card_id: body.card_id })
})

test('refusals are counted with those of the page, because they tell whether a number is good', async () => {
  const env = { RATE_LIMIT_REFUSED_ENTRIES_MERCHANT: '3' }
  const counting = await startTestService({ database: service.database, env })
  try {
    const { merchant } = counting
    const vault_ref_id = await vaultRecord(merchant, { card_number: CARDS.refused })
    for (let tries = 0; tries < 3; tries += 1)
      expectError(await enroll(merchant, { vault_ref_id }), 400, 'CARD_REFUSED')
    expectError(await enroll(merchant, { vault_ref_id }), 429, 'RATE_LIMITED')
    const { session_token } = await createSession(merchant)
    expectError(await cardholder(counting, session_token).enterCard(CARDS.success), 429, 'RATE_LIMITED')
  } finally {
    await counting.close()
  }
})

test('creations are limited for each merchant, over all nodes, and the response says so', async () => {
  const limited = await startTestService({ database: service.database })
  try {
    const { merchant } = limited
    const statuses = await atOnce(62, async () => (await enroll(merchant, { vault_ref_id: 'x' })).status)
    expect(statuses.filter((status) => status === 429).length).toBe(2)
    const refused = await enroll(merchant, {})
    expectError(refused, 429, 'RATE_LIMITED')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('ratelimit-policy')).toBe('"enrollment";q=60;w=60')
    expect(refused.headers.get('ratelimit')).toMatch(/^"enrollment";r=0;t=\d+$/)
    const other = await limited.addMerchant()
    expectInvalid(await enroll(other, { vault_ref_id: 'x' }), 'vault_ref_id')
  } finally {
    await limited.close()
  }
})

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../platform/ids.ts'
import { secret } from '../../platform/secret.ts'
import { describeCardNetwork } from '../testing/conformance.ts'
import { STEP_UP_CODE } from './test-cards.ts'
import { numberOf } from './testing/cards.ts'
import { cardOf, okValue, purchase, startTestNetwork, type TestNetwork } from './testing/test-network.ts'

describeCardNetwork('simulator', async () => {
  const { network, clock, close } = await startTestNetwork()
  const card = (behaviour: Parameters<typeof numberOf>[0]) => ({ number: numberOf(behaviour), cvv: '123' })
  return {
    network,
    clock,
    close,
    testCards: {
      success: card('success'),
      stepUp: { ...card('step_up'), code: STEP_UP_CODE },
      refused: card('card_declined'),
      mintAnswerLost: card('mint_answer_lost'),
      mintRequestLost: card('mint_request_lost'),
      confirmationFailsOnce: card('confirmation_fails_once'),
      deletionFailsOnce: card('deletion_fails_once'),
      deletionAnswerLost: card('deletion_answer_lost'),
      releaseFailsOnce: card('release_fails_once'),
      releaseAnswerLost: card('release_answer_lost'),
    },
    acquirer: async (credential, { minor, url }) => {
      const request = { ...purchase(credential), amount: { minor, currency: 'USD' as const }, merchantUrl: url }
      return (await network.authorize(request)).approved
    },
  }
})

let fixture: TestNetwork
beforeAll(async () => {
  fixture = await startTestNetwork()
})
afterAll(() => fixture.close())

const TIMEOUT = { outcome: 'unknown', cause: 'timeout' }
const RESET = { outcome: 'unknown', cause: 'failed: ECONNRESET' }
const DESIGN = { background: '#1a1f71', foreground: '#ffffff', label: '#c7cbf0' }
const token = { tokenRef: expect.stringMatching(/^ntk_/), design: DESIGN }
const provisioned = { outcome: 'ok', value: { state: 'provisioned', ...token } }
const approvedReport = (chargeId: string) => ({
  chargeId,
  outcome: 'APPROVED' as const,
  currency: 'USD' as const,
  amountPaid: null,
  authorizationCode: null,
  responseCode: null,
})

describe('scripted failures', () => {
  test('provision_answer_lost: unknown, and the retry gets the token that was made', async () => {
    const request = cardOf('provision_answer_lost')
    expect(await fixture.network.provision(request)).toEqual(TIMEOUT)
    expect(await fixture.network.provision(request)).toEqual(provisioned)
  })

  test('device_binding_fails_once: refused, then fine', async () => {
    const request = cardOf('device_binding_fails_once')
    const refused = { outcome: 'declined', reason: 'DEVICE_BINDING_FAILED' }
    expect(await fixture.network.provision(request)).toEqual(refused)
    expect(await fixture.network.provision(request)).toEqual(provisioned)
  })

  test('mint_declined', async () => {
    const charge = await fixture.charge('mint_declined')
    expect(await fixture.network.mint(charge)).toEqual({ outcome: 'declined', reason: 'CARD_DECLINED' })
  })

  test('mint_hangs: unknown, nothing known yet, and minted later without being asked again', async () => {
    const charge = await fixture.charge('mint_hangs')
    const holder = await fixture.database.pool.connect()
    try {
      // However long this process stands still, the late mint comes after what is asked before it.
      await holder.query('begin')
      await holder.query('select 1 from simnet.instructions where mandate_id = $1 for update', [charge.mandateId])
      expect(await fixture.network.mint(charge)).toEqual(TIMEOUT)
      expect(okValue(await fixture.network.inquire(charge))).toEqual({ state: 'not_found' })
      await holder.query('rollback')
    } finally {
      holder.release(true)
    }
    await expect.poll(async () => okValue(await fixture.network.inquire(charge)).state).toBe('minted')
  })

  test('mint_hangs: a retry meanwhile mints, and the late one changes nothing', async () => {
    const charge = await fixture.charge('mint_hangs')
    const started = performance.now()
    expect(await fixture.network.mint(charge)).toEqual(TIMEOUT)
    const waited = performance.now() - started
    const retry = okValue(await fixture.network.mint(charge))
    // By then the late one has come, mostly. It may also have come first, or come later: all that follows is true then, too.
    await delay(waited * 1.2)
    const inquiry = okValue(await fixture.network.inquire(charge))
    expect(inquiry.state === 'minted' && inquiry.credential.token.reveal()).toBe(retry.token.reveal())
    const counts = await fixture.database.pool.query(
      'select charge_count from simnet.instructions where mandate_id = $1',
      [charge.mandateId],
    )
    expect(counts.rows).toEqual([{ charge_count: 1 }])
  })

  test('confirmation_fails_once: a reset connection, then fine', async () => {
    const charge = await fixture.charge('confirmation_fails_once')
    await fixture.network.mint(charge)
    expect(await fixture.network.confirm(approvedReport(charge.chargeId))).toEqual(RESET)
    expect(await fixture.network.confirm(approvedReport(charge.chargeId))).toEqual({ outcome: 'ok', value: {} })
  })

  test('confirmation_refused: every time', async () => {
    const charge = await fixture.charge('confirmation_refused')
    await fixture.network.mint(charge)
    const refused = { outcome: 'declined', reason: 'CONFIRMATION_REFUSED' }
    expect(await fixture.network.confirm(approvedReport(charge.chargeId))).toEqual(refused)
    expect(await fixture.network.confirm(approvedReport(charge.chargeId))).toEqual(refused)
  })

  test('deletion_fails_once: the token lives on, and the retry ends it', async () => {
    const token = await fixture.provision('deletion_fails_once')
    expect(await fixture.network.deleteToken(token)).toEqual(RESET)
    await fixture.register(token.tokenRef)
    expect(await fixture.network.deleteToken(token)).toEqual({ outcome: 'ok', value: {} })
    await expect(fixture.register(token.tokenRef)).rejects.toThrow('TOKEN_NOT_ACTIVE')
  })

  test('deletion_answer_lost: the token has ended, and the retry says so', async () => {
    const token = await fixture.provision('deletion_answer_lost')
    expect(await fixture.network.deleteToken(token)).toEqual({ outcome: 'unknown', cause: 'timeout' })
    await expect(fixture.register(token.tokenRef)).rejects.toThrow('TOKEN_NOT_ACTIVE')
    expect(await fixture.network.deleteToken(token)).toEqual({ outcome: 'ok', value: {} })
  })
})

describe('provisioning', () => {
  test('16 calls together for one card id get one token', async () => {
    const request = cardOf('success')
    const answers = await Promise.all(Array.from({ length: 16 }, () => fixture.network.provision(request)))
    expect(answers[0]).toEqual(provisioned)
    for (const answer of answers) expect(answer).toEqual(answers[0])
  })

  test('16 wrong codes together share three tries, and the last is told that none is left', async () => {
    const { cardId } = cardOf('step_up')
    await fixture.network.provision(cardOf('step_up', cardId))
    const guess = () => fixture.network.completeStepUp({ cardId, entryId: randomUUID(), code: secret('999999') })
    const answers = await Promise.all(Array.from({ length: 16 }, guess))
    const wrong = answers.filter((answer) => answer.outcome === 'declined' && answer.reason === 'STEP_UP_CODE_WRONG')
    expect(wrong).toHaveLength(2)
  })

  test('the same card stays exhausted; another one under the same id starts anew', async () => {
    const request = cardOf('step_up')
    await fixture.network.provision(request)
    for (let tries = 0; tries < 3; tries += 1) {
      await fixture.network.completeStepUp({ ...request, code: secret('999999') })
    }
    const exhausted = { outcome: 'declined', reason: 'STEP_UP_EXHAUSTED' }
    expect(await fixture.network.provision(request)).toEqual(exhausted)
    expect(await fixture.network.provision(cardOf('success', request.cardId))).toEqual(provisioned)
  })

  test('a wrong CVV may be corrected', async () => {
    const request = cardOf('success')
    const wrong = { ...request, cvv: secret('000') }
    expect(await fixture.network.provision(wrong)).toEqual({ outcome: 'declined', reason: 'CVV_MISMATCH' })
    expect(await fixture.network.provision(request)).toEqual(provisioned)
  })

  test('a deleted token does not come back', async () => {
    const token = await fixture.provision()
    await fixture.network.deleteToken(token)
    expect(await fixture.network.provision(cardOf('success', token.cardId))).toEqual({
      outcome: 'declined',
      reason: 'TOKEN_NOT_ACTIVE',
    })
  })
})

describe('races', () => {
  test('a registration and a deletion of its token: no instruction outlives the token', async () => {
    for (let round = 0; round < 10; round += 1) {
      const token = await fixture.provision()
      const registrations = Array.from({ length: 4 }, () => fixture.register(token.tokenRef))
      await Promise.allSettled([...registrations, fixture.network.deleteToken(token), fixture.register(token.tokenRef)])
      const alive = await fixture.database.pool.query(
        `select mandate_id from simnet.instructions where token_ref = $1 and state = 'active'`,
        [token.tokenRef],
      )
      expect(alive.rows).toEqual([])
    }
  })

  test('mints and a cancellation: what was minted stays open, and nothing is minted behind it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const charge = await fixture.charge('success', { cap: { minor: 1_000_000n, currency: 'USD' } })
      const mint = () => fixture.network.mint({ ...charge, chargeId: newId('charge') })
      const [one, two, , three, four] = await Promise.all([
        ...[mint(), mint(), fixture.network.cancelInstruction(charge), mint(), mint()],
      ])
      expect(await mint()).toEqual({ outcome: 'declined', reason: 'INSTRUCTION_NOT_ACTIVE' })
      const open = await fixture.database.pool.query(
        `select charge_id from simnet.mints where mandate_id = $1 and credential_state = 'open'`,
        [charge.mandateId],
      )
      expect(open.rows).toHaveLength([one, two, three, four].filter((answer) => answer?.outcome === 'ok').length)
    }
  })

  test('mints, reports and a cancellation of one mandate together: none waits in a circle', async () => {
    const charge = await fixture.charge('success', { cap: { minor: 1_000_000n, currency: 'USD' } })
    const charges = Array.from({ length: 12 }, () => ({ ...charge, chargeId: newId('charge') }))
    for (const each of charges) await fixture.network.mint(each)
    const declined = charges.map(({ chargeId }) =>
      fixture.network.confirm({ ...approvedReport(chargeId), outcome: 'DECLINED' }),
    )
    const more = charges.map(() => fixture.network.mint({ ...charge, chargeId: newId('charge') }))
    const answers = await Promise.all([...declined, fixture.network.cancelInstruction(charge), ...more])
    expect(answers.filter((answer) => answer.outcome === 'unknown')).toEqual([])
  })
})

test('the credential lapses with its instruction, or with the month printed on it', async () => {
  const year = 365 * 24 * 60 * 60 * 1000
  const validUntil = new Date(fixture.clock.now().getTime() + year)
  const charge = await fixture.charge('success', { frequency: 'yearly', validUntil })
  const long = okValue(await fixture.network.mint(charge))
  const printedEnd = new Date(Date.UTC(Number(long.expiryYear), Number(long.expiryMonth), 1))
  expect(long.validUntil).toEqual(printedEnd)
  const short = await fixture.credential()
  expect(short.validUntil).toEqual(new Date(fixture.clock.now().getTime() + 7 * 24 * 60 * 60 * 1000))
})

test('the database holds no card number and no credential in the clear', async () => {
  const minted = []
  for (let index = 0; index < 5; index += 1) minted.push(await fixture.credential())
  const { rows } = await fixture.database.pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema = 'simnet'`,
  )
  let dump = ''
  for (const { name } of rows) {
    const table = await fixture.database.pool.query<{ line: string }>(`select t::text as line from ${name} t`)
    dump += table.rows.map(({ line }) => line).join('\n')
  }
  expect(dump).toContain('minted')
  for (const credential of minted) {
    expect(dump).not.toContain(credential.token.reveal())
    expect(dump).not.toContain(Buffer.from(credential.token.reveal()).toString('hex'))
  }
  expect(dump).not.toMatch(/4242424242424242|34323432343234323432/)
})

test('a network without its database answers unknown, and says nothing about the card', async () => {
  const away = await startTestNetwork()
  await away.close()
  const answer = await away.network.provision(cardOf('success'))
  expect(answer).toEqual({ outcome: 'unknown', cause: 'failed' })
})

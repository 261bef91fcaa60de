import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { declareError } from './errors.ts'
import { createLog, type LogFields, type LogLevel } from './log.ts'
import { scrub } from './log-scrub.ts'
import { secret } from './secret.ts'

function recorded(level: LogLevel = 'debug') {
  const lines: string[] = []
  const log = createLog({ level, destination: { write: (line) => lines.push(line) } })
  return { log, text: () => lines.join(''), last: () => JSON.parse(lines.at(-1) ?? '{}') }
}

const CARD_NUMBER = '4242424242424242'
const KEY = 'sk_live_abcDEF123_-xyz'
const PEM = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----'
const JWT = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJjdXMifQ.c2lnbmF0dXJl'
const SECRETS = [
  CARD_NUMBER,
  '4242 4242 4242 4242',
  '4242-4242-4242-4242',
  '378282246310005',
  KEY,
  'whsec_MfKQ9r8GKYqrTwjU',
  JWT,
  PEM,
]

/** Nothing of the guarantee is left to care: no planted secret may be found in what was written. */
function expectNothingOf(text: string): void {
  for (const planted of SECRETS) expect(text).not.toContain(planted)
  for (const part of [
    '42424242',
    '4242 4242',
    '4242-4242',
    '3782822',
    'abcDEF',
    'MfKQ9',
    'MIIEv',
    'eyJzdWI',
    'c2lnbmF0',
  ]) {
    expect(text).not.toContain(part)
  }
}

test('a line has its level, time, message and fields', () => {
  const { log, last } = recorded()
  const response_id = randomUUID()
  log.info('request', { response_id, status: 200, duration_ms: 3 })
  expect(last()).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    message: 'request',
    response_id,
    status: 200,
    duration_ms: 3,
  })
  expect(recorded('silent').log.enabled('error')).toBe(false)
})

describe('planted secrets are not found', () => {
  test.each(SECRETS)('in a message or an allowed field: %j', (planted) => {
    const { log, text } = recorded()
    log.info(`charged ${planted} now`)
    log.warn('x', { merchant_id: planted, cause: `5 ${planted}, 7`, route: `/v1/${planted}/x` })
    expectNothingOf(text())
    expect(text()).toMatch(/charged \[[a-z ]+\] now/)
  })

  test('in fields that are not declared, not primitive, or too long', () => {
    const { log, text, last } = recorded()
    const fields = {
      card_number: CARD_NUMBER,
      body: { number: CARD_NUMBER },
      merchant_id: { toString: () => CARD_NUMBER, toJSON: () => CARD_NUMBER },
      session_id: secret(CARD_NUMBER),
      charge_id: [CARD_NUMBER],
      count: Number(CARD_NUMBER),
      status: CARD_NUMBER,
      route: 'x'.repeat(9_000) + CARD_NUMBER,
      __proto__: { cause: CARD_NUMBER },
      cause: 'y'.repeat(300),
    }
    log.error('x', fields as unknown as LogFields)
    expectNothingOf(text())
    expect(Object.keys(last()).sort()).toEqual(['cause', 'level', 'message', 'route', 'time'])
    expect(last()).toMatchObject({ route: '[too long]', cause: 'y'.repeat(200) })
  })

  test('in errors: message, stack, name, code, detail, parameters, cause', () => {
    const { log, text, last } = recorded()
    for (const planted of SECRETS) {
      const error = new Error(`duplicate key ${planted}\n    at ${planted} (/app/file.ts:1:2)`, {
        cause: Object.assign(new TypeError(planted), { code: planted }),
      })
      const driver = {
        name: planted,
        code: '23505',
        detail: `Key (pan)=(${planted})`,
        constraint: 'cards_pkey',
        parameters: [planted],
      }
      log.failure('A request failed.', Object.assign(error, driver))
      log.failure('A request failed.', planted)
      log.failure(
        'A request failed.',
        Object.assign(new Error('x'), { stack: `Error: x\n    at f (/a/${planted}.ts:1:1)` }),
      )
      log.failure('A request failed.', Object.assign(new Error('x'), { code: `A${planted}`, constraint: planted }))
    }
    expectNothingOf(text())
    log.failure('x', Object.assign(new RangeError('m'), { code: '23505', constraint: 'cards_pkey' }))
    expect(last()).toMatchObject({ error_name: 'RangeError', sql_state: '23505', constraint: 'cards_pkey' })
    expect(last().frames[0]).toMatch(/^apps\/server\/src\/platform\/log\.test\.ts:\d+/)
  })
})

test.each(['debug', 'info', 'warn', 'error'] as const)('alarms and audits are written at the level %s', (level) => {
  const { log, text } = recorded(level)
  log.info('a change', { audit: 'contact_verified' })
  log.warn('a problem', { alarm: 'work_stuck' })
  const lines = text().trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'info', audit: 'contact_verified' },
    { level: 'warn', alarm: 'work_stuck' },
  ])
})

test('nothing is written at the level silent, and of the rest what the level says', () => {
  const silent = recorded('silent')
  silent.log.error('a problem', { alarm: 'work_stuck' })
  expect(silent.text()).toBe('')
  const errors = recorded('error')
  errors.log.warn('a warning', { count: 1 })
  expect(errors.text()).toBe('')
})

test('the message of our own errors is kept, scrubbed', () => {
  const { log, last } = recorded()
  log.failure('x', declareError('INTERNAL_ERROR', `Something went wrong with ${CARD_NUMBER}.`)())
  expect(last()).toMatchObject({ error_name: 'PublicError', error_message: 'Something went wrong with [card number].' })
})

describe('the net', () => {
  test('finds a card number among other digits and separators', () => {
    for (const text of [
      `5 4242 4242 4242 4242`,
      `99${CARD_NUMBER}`,
      `${CARD_NUMBER}1`,
      `id=1;4242.4242.4242.4242;`,
      `${CARD_NUMBER} ${CARD_NUMBER}`,
      `0000${CARD_NUMBER}0000`,
      `123456789012 ${CARD_NUMBER}`,
      `${CARD_NUMBER}-12345678901234567890`,
    ]) {
      expect(scrub(text)).toContain('[card number]')
      expect(scrub(text)).not.toMatch(/4242.?4242/)
    }
  })

  test('leaves alone what is none', () => {
    for (const text of [
      '1111111111111',
      '0000000000000000',
      '2026-11-21T12:00:00.000Z',
      '123456789012',
      'txn_0a1b2c3d4e5f6g7h8j9k0m1n2p',
    ]) {
      expect(scrub(text)).toBe(text)
    }
  })

  test('never damages a response id', () => {
    const { log, last } = recorded()
    const response_id = '42424242-4242-4242-8242-424242424242'
    log.info('x', { response_id })
    expect(last().response_id).toBe(response_id)
  })
})

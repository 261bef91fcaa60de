import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { bounded } from '../platform/bounds.ts'
import { secret } from '../platform/secret.ts'
import { GaveUpWaiting, guardNetwork } from './guard.ts'
import type { CardNetwork, ConfirmRequest } from './port.ts'

// The guarantee: in every failure of an adapter the caller gets an answer of the port, in time, and no secret in it. A network that
// answers nothing keeps few of them waiting (faults C4).

const TIMEOUT_MILLIS = 50
afterEach(() => vi.useRealTimers())

const request = { chargeId: 'txn_1' }

function guarded(inquire: () => Promise<unknown>): CardNetwork {
  const refuse = () => Promise.reject(new Error('Not part of this test.'))
  const network = {
    provision: refuse,
    completeStepUp: refuse,
    verifyCard: refuse,
    deleteToken: refuse,
    inquireToken: refuse,
    registerInstruction: refuse,
    cancelInstruction: refuse,
    inquireInstruction: refuse,
    mint: refuse,
    confirm: refuse,
    release: refuse,
    inquire: inquire as CardNetwork['inquire'],
  }
  return guardNetwork(network, { timeoutMillis: TIMEOUT_MILLIS })
}

/** Calls a caller of an account with so long left makes, all at once. */
function callers<T>(count: number, millis: number, work: () => Promise<T>, tenant = 'ma_one'): Promise<T[]> {
  const bounds = () => ({ endsAtMillis: performance.now() + millis, isGone: false, awayMillis: 0, tenant })
  return Promise.all(Array.from({ length: count }, () => bounded(bounds(), work)))
}

const credential = {
  token: secret('4895370000000008'),
  dynamicCvv: secret('123'),
  expiryMonth: '12',
  expiryYear: '2026',
  validUntil: new Date('2026-12-01T00:00:00Z'),
}
const minted = (change: object) => ({
  outcome: 'ok',
  value: { state: 'minted', credential: { ...credential, ...change } },
})

test('a good answer passes unchanged', async () => {
  const answer = minted({})
  expect(await guarded(async () => answer).inquire(request)).toBe(answer)
})

test('a slow answer is unknown when the time is over', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const network = guarded(() => new Promise(() => {}))
  let told: unknown
  void network.inquire(request).then((answer) => (told = answer))
  await vi.advanceTimersByTimeAsync(TIMEOUT_MILLIS - 1)
  expect(told).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(told).toEqual({ outcome: 'unknown', cause: 'timeout' })
})

test('an adapter that stops waiting by itself says the same', async () => {
  const network = guarded(() => Promise.reject(new GaveUpWaiting()))
  expect(await network.inquire(request)).toEqual({ outcome: 'unknown', cause: 'timeout' })
})

test('an answer that fails after the time-out disturbs no caller', async () => {
  const network = guarded(async () => {
    await delay(TIMEOUT_MILLIS * 2)
    throw new Error('late')
  })
  expect(await network.inquire(request)).toEqual({ outcome: 'unknown', cause: 'timeout' })
  await delay(TIMEOUT_MILLIS * 2)
})

describe('a network that answers nothing', () => {
  const TIMEOUT = { outcome: 'unknown', cause: 'timeout' }
  const SILENT = { outcome: 'unknown', cause: 'silent' }
  const ANSWER = { outcome: 'ok', value: { state: 'not_found' } }

  /** It hangs until it is told to answer. */
  function hanging() {
    let [asked, isWell] = [0, false]
    const network = guarded(async () => {
      asked += 1
      return isWell ? ANSWER : new Promise(() => {})
    })
    const ask = () => network.inquire(request)
    const times = async (work: () => Promise<unknown>) => {
      const before = asked
      await work()
      return asked - before
    }
    return { ask, times, heal: () => (isWell = true) }
  }

  test('four callers wait for it at a time, the others are told at once, and its first answer ends that', async () => {
    const { ask, times, heal } = hanging()
    // That it is silent is seen first: a caller who asks until then waits.
    expect(await callers(8, 10_000, ask)).toEqual(Array(8).fill(TIMEOUT))
    const answers = callers(8, 10_000, ask)
    expect(await answers).toEqual([...Array(4).fill(TIMEOUT), ...Array(4).fill(SILENT)])
    heal()
    expect(await times(() => callers(1, 10_000, ask))).toBe(1)
    expect(await callers(8, 10_000, ask)).toEqual(Array(8).fill(ANSWER))
  })

  test('those of one account take no place of another, and of all together sixteen wait', async () => {
    const { ask } = hanging()
    await callers(4, 10_000, ask, 'ma_1')
    const accounts = ['ma_1', 'ma_2', 'ma_3', 'ma_4', 'ma_5']
    const answers = Promise.all(accounts.map((account) => callers(5, 10_000, ask, account)))
    const four = [...Array(4).fill(TIMEOUT), SILENT]
    expect(await answers).toEqual([four, four, four, four, Array(5).fill(SILENT)])
  })

  test('cards of one account for which it hangs are no silence for another: the first answer ends it', async () => {
    let isHanging = true
    const network = guarded(() => (isHanging ? new Promise(() => {}) : Promise.resolve(ANSWER)))
    const ask = () => network.inquire(request)
    await callers(4, 10_000, ask, 'ma_1')
    const hung = callers(4, 10_000, ask, 'ma_1')
    isHanging = false
    expect(await callers(4, 10_000, ask, 'ma_2')).toEqual(Array(4).fill(ANSWER))
    expect(await callers(8, 10_000, ask, 'ma_1')).toEqual(Array(8).fill(ANSWER))
    expect(await hung).toEqual(Array(4).fill(TIMEOUT))
  })

  test('workers, whom nobody waits for, ask it in any case', async () => {
    const { ask, times } = hanging()
    await callers(4, 10_000, ask)
    const waiting = callers(4, 10_000, ask)
    expect(await times(() => Promise.all(Array.from({ length: 8 }, ask)))).toBe(8)
    await waiting
  })

  test('a few questions without an answer, or callers who came late, make no network silent', async () => {
    const { ask } = hanging()
    await callers(2, 10_000, ask)
    expect(await callers(8, TIMEOUT_MILLIS / 5, ask)).toEqual(Array(8).fill(TIMEOUT))
    expect(await callers(8, 10_000, ask)).toEqual(Array(8).fill(TIMEOUT))
  })
})

test.for([
  [
    'an error with a code',
    Object.assign(new Error('card 4242424242424242'), { code: 'ECONNRESET' }),
    'failed: ECONNRESET',
  ],
  ['an error without', new Error('card 4242424242424242'), 'failed'],
  ['an error whose code is not one', Object.assign(new Error('no'), { code: '4242 4242' }), 'failed'],
  ['something that is no error', '4242424242424242', 'failed'],
] as const)('%s is unknown, and its message is not told', async ([, thrown, cause]) => {
  const answer = await guarded(() => Promise.reject(thrown)).inquire(request)
  expect(answer).toEqual({ outcome: 'unknown', cause })
})

test('an adapter that throws before it returns a promise is no different', async () => {
  const network = guarded(() => {
    throw new Error('at once')
  })
  expect(await network.inquire(request)).toEqual({ outcome: 'unknown', cause: 'failed' })
})

describe('nonsense is unknown', () => {
  test.for([
    ['nothing', undefined],
    ['an outcome of its own', { outcome: 'approved' }],
    ['ok without a value', { outcome: 'ok' }],
    ['an unknown reason', { outcome: 'declined', reason: 'BAD_MOOD' }],
    ['unknown without a cause', { outcome: 'unknown' }],
    ['an unknown state', { outcome: 'ok', value: { state: 'perhaps' } }],
    ['no credential', { outcome: 'ok', value: { state: 'minted' } }],
    ['a number in the clear', minted({ token: '4895370000000008' })],
    ['a number that is none', minted({ token: secret('not a number') })],
    ['a CVV too long', minted({ dynamicCvv: secret('12345') })],
    ['a month that does not exist', minted({ expiryMonth: '13' })],
    ['a year of two digits', minted({ expiryYear: '26' })],
    ['no date', minted({ validUntil: new Date(Number.NaN) })],
  ] as const)('%s', async ([, answer]) => {
    const given = await guarded(async () => answer).inquire(request)
    expect(given).toEqual({ outcome: 'unknown', cause: 'malformed answer' })
    expect(inspect(given)).not.toContain('4895370000000008')
  })

  test('a list where there is nothing to say', async () => {
    const adapter = { ...guarded(async () => undefined), confirm: async () => ({ outcome: 'ok' as const, value: [] }) }
    const network = guardNetwork(adapter, { timeoutMillis: TIMEOUT_MILLIS })
    expect(await network.confirm({} as ConfirmRequest)).toEqual({ outcome: 'unknown', cause: 'malformed answer' })
  })
})

test.each([
  [null, 'ok'],
  [{ background: '#1a1f71', foreground: '#ffffff', label: '#c7cbf0' }, 'ok'],
  [{ background: '#1a1f71', foreground: '#ffffff' }, 'unknown'],
  [{ background: 'red', foreground: '#ffffff', label: '#c7cbf0' }, 'unknown'],
  [{ background: '#1a1f71"/><script>', foreground: '#ffffff', label: '#c7cbf0' }, 'unknown'],
  ['#1a1f71', 'unknown'],
  [undefined, 'unknown'],
])('a token with the design %j is %s', async (design, outcome) => {
  const provision = async () => ({ outcome: 'ok', value: { state: 'provisioned', tokenRef: 'ntk_1', design } })
  const network = guardNetwork({ provision } as unknown as CardNetwork, { timeoutMillis: TIMEOUT_MILLIS })
  expect((await network.provision(undefined as never)).outcome).toBe(outcome)
})

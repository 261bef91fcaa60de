// Guarantee: under more load than can be carried what was begun is finished, whoever begins, and a busy caller keeps no other out.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDoor } from './door.ts'
import { silentLog } from './testing/toy-host.ts'

const PLACES = 32
/** What can be worked on at a time. */
const SERVERS = 16
const SECONDS = 10

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** What a request shows and of whose account that is, where it goes, and how long it takes before its body and after. */
interface Asked {
  shown: string | null
  address?: string
  account?: string
  begins?: boolean
  goesOn?: boolean
  millis: [look: number, work: number]
}

/** A process behind the door, whose requests take so many times what they say, on a clock that the test moves. */
function startProcess(slowness: number) {
  const door = createDoor({ places: PLACES, log: silentLog() })
  const queue: (() => void)[] = []
  let busy = 0
  const work = (millis: number) =>
    new Promise<void>((done) => {
      const begin = () => {
        busy += 1
        setTimeout(() => {
          busy -= 1
          queue.shift()?.()
          done()
        }, millis * slowness)
      }
      if (busy < SERVERS) begin()
      else queue.push(begin)
    })
  /** False: refused. */
  return async function ask({ shown, address = 'somewhere', account, begins = false, goesOn = false, millis }: Asked) {
    const caller = door.callers.of(shown === null ? null : { name: 'key', value: shown }, address)
    const place = door.arrive({ begins, goesOn, ...caller })
    const enter = () => new Promise<boolean>((answer) => door.enter(place, answer))
    if (!(await enter())) return false
    await work(millis[0])
    place.leave()
    if (shown !== null && account === undefined) return true
    if (account !== undefined) place.bounds.tenant = account
    door.recognise(place)
    place.rank = begins ? 2 : 0
    if (!(await enter())) return false
    await work(millis[1])
    place.leave()
    return true
  }
}
type Ask = ReturnType<typeof startProcess>

/** What one payment takes, on a machine that does them quickly. */
const MILLIS_OF_PAYMENT = 4 * 98
/** Payments a second that the process carries. */
const CAPACITY = (SERVERS * 1_000) / MILLIS_OF_PAYMENT
let payments = 0

/** One payment, as far as it comes: its merchant creates it, and its cardholder comes without a credential and goes on with a fresh one. */
async function pay(ask: Ask, merchant: string): Promise<'refused' | 'lost' | 'paid'> {
  payments += 1
  const [key, token, address] = [`key of ${merchant}`, `token ${payments}`, `home ${payments}`]
  const created = await ask({ shown: key, account: merchant, begins: true, millis: [4, 80] })
  if (!created) return 'refused'
  const steps: Omit<Asked, 'millis'>[] = [
    { shown: null, address },
    ...Array.from({ length: 4 }, () => ({ shown: token, account: merchant, goesOn: true })),
    { shown: key, account: merchant, goesOn: true },
  ]
  const times = [32, 20, 60, 40, 100, 32]
  for (const [at, step] of steps.entries()) {
    await new Promise((done) => setTimeout(done, 20))
    if (!(await ask({ ...step, millis: [4, times[at] ?? 0] }))) return 'lost'
  }
  return 'paid'
}

interface Load {
  /** In turn, one payment each. */
  merchants: string[]
  /** So many times what can be carried is offered. */
  times: number
  slowness?: number
  noise?: Asked[]
}

/** Payments of some merchants, evenly, while others ask for one thing again and again. */
async function ends({ merchants, times, slowness = 1, noise = [] }: Load) {
  const ask = startProcess(slowness)
  const perSecond = (CAPACITY * times) / slowness
  // Each was here before.
  for (const account of new Set(merchants)) void ask({ shown: `key of ${account}`, account, millis: [1, 1] })
  await vi.advanceTimersByTimeAsync(1_000)
  let isOver = false
  for (const asked of noise) {
    void (async () => {
      while (!isOver) if (!(await ask(asked))) await new Promise((done) => setTimeout(done, 100))
    })()
  }
  await vi.advanceTimersByTimeAsync(500)
  const all: Promise<'refused' | 'lost' | 'paid'>[] = []
  while (all.length < perSecond * SECONDS) {
    all.push(pay(ask, merchants[all.length % merchants.length] ?? ''))
    await vi.advanceTimersByTimeAsync(1_000 / perSecond)
  }
  await vi.advanceTimersByTimeAsync(60_000)
  isOver = true
  const counts = { refused: 0, lost: 0, paid: 0 }
  for (const end of await Promise.all(all)) counts[end] += 1
  return { offered: all.length, ...counts }
}

const named = (count: number) => Array.from({ length: count }, (_, at) => `merchant ${at}`)

test.each([1, 10, 100])(
  'at five times what can be done, of %i merchants, nothing is lost half-way',
  async (merchants) => {
    const { lost, paid } = await ends({ merchants: named(merchants), times: 5 })
    expect(lost).toBe(0)
    expect(paid).toBeGreaterThan(CAPACITY * SECONDS * 0.9)
  },
)

test('nothing is lost half-way where requests are so slow that few places are open, and most are of one merchant', async () => {
  const merchants = named(20).flatMap((small) => ['big', 'big', 'big', 'big', small])
  const { lost, paid } = await ends({ merchants, times: 5, slowness: 12 })
  expect(lost).toBe(0)
  expect(paid).toBeGreaterThan(10)
})

test.each<[string, Asked[]]>([
  ['one key that reads', Array(60).fill({ shown: 'key of x', account: 'x', millis: [4, 40] })],
  [
    'sessions of one merchant',
    Array.from({ length: 60 }, (_, at) => ({
      shown: `token of x, ${at}`,
      account: 'x',
      goesOn: true,
      millis: [4, 40],
    })),
  ],
  ['strangers', Array.from({ length: 60 }, (_, at) => ({ shown: null, address: `address ${at}`, millis: [4, 40] }))],
])('a quiet merchant is let in beside %s, who would take all', async (_, noise) => {
  const { offered, paid, lost } = await ends({ merchants: ['quiet'], times: 0.2, noise })
  expect(lost).toBe(0)
  expect(paid).toBeGreaterThan(offered * 0.9)
})

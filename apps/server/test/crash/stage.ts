import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import {
  type Caller,
  callerOf,
  eventually,
  freePorts,
  readDevFile,
  startProgram,
  temporaryHome,
} from '../processes/program.ts'
import { type Running, runRole } from '../processes/verb.ts'
import { type Answer, sessionBody, TEST_ROOT_KEY, type WalletCaller, walletCaller } from '../service.ts'
import { type Fault, startWireProxy, type WireMessage, type WireProxy } from './wire-proxy.ts'

/** One database, and services that come and go in front of it. */
export interface Stage {
  database: TestDatabase
  /** For operator verbs on the same deployment: their home, and the environment beside the address of the database. */
  home: string
  env: Record<string, string>
  /**
   * A `victim` serves in a process of its own. `serve`, `all` and `recover`, which is `all`, live on to their stop: in
   * the process of the test, since a start costs a second of a processor. All but `recover` reach the database
   * through a proxy of their own.
   */
  start(as: 'victim' | 'serve' | 'all' | 'recover'): Promise<Staged>
  close(): Promise<void>
}

export interface Staged {
  program: Running
  proxy: WireProxy | null
  merchant: StagedMerchant
}

/** The merchant of the deployment, on both APIs. */
export interface StagedMerchant extends Caller {
  /** Where agents call. */
  apiUrl: string
  wallet: WalletCaller
}

/** `more`: settings beside those of every stage. */
export async function openStage(more: Record<string, string> = {}): Promise<Stage> {
  const database = await createTestDatabase()
  const home = await temporaryHome()
  // The key of tests, so that rows which a test writes are sealed as the program's own are.
  const rootKeyFile = join(dirname(home), 'root.key')
  await writeFile(rootKeyFile, TEST_ROOT_KEY.reveal(), { mode: 0o600 })
  // A sweep begins more enrollments and links within a minute than a caller may.
  const limits = { RATE_LIMIT_ENROLLMENT: '1000', RATE_LIMIT_AGENT_LINK: '1000' }
  const common = { LOG_LEVEL: 'silent', ROOT_KEY_FILE: rootKeyFile, ...limits, ...more }
  const staged = new Set<{ program: Running; proxy: WireProxy | null }>()
  return {
    database,
    home,
    env: common,
    async start(as) {
      const proxy = as === 'recover' ? null : await startWireProxy(database.connection)
      const env = { DATABASE_URL: proxy?.url ?? database.url, ...common }
      const settings = { home, port: await freePorts(), env }
      const program =
        as === 'victim' ? await startVictim(settings) : await runRole(as === 'recover' ? 'all' : as, settings)
      staged.add({ program, proxy })
      const { secret_key, wallet_api_key } = await readDevFile(home)
      const wallet = walletCaller(program.walletUrl, wallet_api_key)
      const { apiUrl } = program
      return { program, proxy, merchant: { ...callerOf(apiUrl, secret_key), apiUrl, wallet } }
    },
    async close() {
      for (const { program, proxy } of staged) {
        await program.stop('SIGKILL')
        await proxy?.close()
      }
      await database.close()
    },
  }
}

interface Settings {
  home: string
  port: number
  env: Record<string, string>
}

async function startVictim(settings: Settings): Promise<Running> {
  const program = startProgram(['serve'], settings)
  await program.ready()
  return program
}

/**
 * How much a sweep takes. `short`, unless said: the first message, the last and two between, on the side where moments
 * differ. `all` (`npm run sweep`): each of them. `every`: in both directions, and on both sides.
 */
const EXTENT = process.env.CRASH_SWEEP ?? 'short'

/**
 * Messages on which the server acts: a simple query, and the Sync that ends an extended one and commits it where no
 * transaction is open. Whatever a client sent before one of them (Parse, Bind, Execute) is undone when it dies, and
 * what the server answers changes nothing in it. So between two of these all moments of death are the same to the
 * database.
 */
export function isKillPoint({ direction, type }: WireMessage): boolean {
  if (EXTENT === 'every') return true
  return direction === 'frontend' && (type === 'Q' || type === 'S')
}

export const BOTH_SIDES = ['before', 'after'] as const

/**
 * On which side of its messages a service dies, where nothing else differs. What the server has done after one message
 * is what it has done before the next, and what the service knew dies with it.
 */
export const SIDES = EXTENT === 'every' ? BOTH_SIDES : (['after'] as const)

/** For what has so few messages that the side before the first counts, too. */
export const SIDES_OF_FEW = EXTENT === 'short' ? (['after'] as const) : BOTH_SIDES

/** The messages, counted from 1, that a sweep over so many takes. */
function placesOf(messages: number): number[] {
  const all = Array.from({ length: messages }, (_, place) => place + 1)
  if (EXTENT !== 'short') return all
  const chosen = [1, Math.ceil(messages / 3), Math.ceil((2 * messages) / 3), messages]
  return all.filter((at) => chosen.includes(at))
}

/**
 * What a service sends for its own work is counted among the messages of `act`: with some of it in between, the last
 * message of `act` comes later than when they were counted. A victim that is to die behind its last message is killed
 * when it has been answered.
 */
const OF_OTHERS = EXTENT === 'short' ? 0 : 3

/** From one message to the next where a service lives on, and each of its messages is met in turn. */
export const STEP = EXTENT === 'short' ? 3 : 1

/** How many sessions one service takes with it: what is held stays well below its time-outs. */
const KILLED_TOGETHER = 8

interface Sweep {
  when: Fault['when']
  /** So many messages `act` has at least; fewer, and the sweep has not met what it is about. */
  least: number
  /** Up to the moment of interest; returns the session, or whatever else is acted upon. */
  prepare(merchant: StagedMerchant, at: number): Promise<string>
  /** What is interrupted. */
  act(merchant: StagedMerchant, sessionId: string, at: number): Promise<Answer>
}

export interface Victim {
  /** The message the service died at. */
  at: number
  sessionId: string
  /** Null: the service died before it responded. */
  answer: Answer | null
}

/**
 * Kills services at every message of `act`; lets another one go on with what they left, whose leases have ended; and
 * looks at each of their sessions with `settle`. Returns what was found.
 */
export async function sweepKills<Found>(
  stage: Stage,
  sweep: Sweep,
  settle: (recovered: Staged, victim: Victim) => Promise<Found>,
): Promise<Found[]> {
  const victims = await killAtEveryMessage(stage, sweep)
  const recovered = await stage.start('recover')
  await letLeasesEnd(recovered.merchant)
  const found: Found[] = []
  for (const victim of victims) found.push(await settle(recovered, victim))
  await recovered.program.stop()
  return found
}

/**
 * To need few services, each has several sessions in work when it dies, each session held at another message: of three
 * services the first holds messages 1, 4, 7 … of those that are taken.
 */
async function killAtEveryMessage(stage: Stage, sweep: Sweep): Promise<Victim[]> {
  const first = await stage.start('victim')
  const places = placesOf((await countMessages(first, sweep)) + OF_OTHERS)
  const groups = Math.ceil(places.length / KILLED_TOGETHER)
  const victims: Victim[] = []
  // While one service dies the next one starts.
  let next = Promise.resolve(first)
  for (let group = 0; group < groups; group += 1) {
    const current = await next
    if (group + 1 < groups) next = stage.start('victim')
    victims.push(
      ...(await killTogether(
        current,
        sweep,
        places.filter((_, place) => place % groups === group),
      )),
    )
  }
  return victims
}

/** The second time, when what the service asks once has been asked. */
async function countMessages({ merchant, proxy }: Staged, sweep: Sweep): Promise<number> {
  expect([200, 201]).toContain((await sweep.act(merchant, await sweep.prepare(merchant, -1), -1)).status)
  const sessionId = await sweep.prepare(merchant, 0)
  void proxy?.arm({ counts: isKillPoint, at: Number.POSITIVE_INFINITY, when: 'before', action: 'hold' })
  expect([200, 201]).toContain((await sweep.act(merchant, sessionId, 0)).status)
  const counted = proxy?.disarm().counted ?? 0
  expect(counted).toBeGreaterThanOrEqual(sweep.least)
  return counted
}

async function killTogether({ program, proxy, merchant }: Staged, sweep: Sweep, places: number[]): Promise<Victim[]> {
  const victims: { at: number; sessionId: string; answer: Promise<Answer | null> }[] = []
  // All are prepared before the first is held; the latest message first, since what the earliest ones ask is shared.
  const prepared = []
  for (const at of places.toReversed()) prepared.push({ at, sessionId: await sweep.prepare(merchant, at) })
  for (const { at, sessionId } of prepared) {
    const held = proxy?.arm({ counts: isKillPoint, at, when: sweep.when, action: 'hold' })
    const answer = sweep.act(merchant, sessionId, at).catch(() => null)
    await Promise.race([held, answer])
    proxy?.disarm()
    victims.push({ at, sessionId, answer })
  }
  expect((await program.stop('SIGKILL')).signal).toBe('SIGKILL')
  return Promise.all(victims.map(async (victim) => ({ ...victim, answer: await victim.answer })))
}

/** A session whose cardholder has only to approve. */
export async function prepareApproval(merchant: Caller, user: string): Promise<string> {
  const created = await merchant.post('/v1/sessions', sessionBody({ user_id: user }))
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  const id: string = created.body.session_id
  const prepared = await merchant.post(`/v1/test_helpers/sessions/${id}/complete`, { stop_after: 'passkey' })
  expect(prepared.body).toMatchObject({ status: 'pending', next_step: 'approval' })
  return id
}

export function approve(merchant: Caller, sessionId: string): Promise<Answer> {
  return merchant.post(`/v1/test_helpers/sessions/${sessionId}/complete`, {})
}

/** Lets leases end, and waits until the session is not being worked on any more. */
export async function outcomeOf(merchant: Caller, sessionId: string): Promise<Answer['body']> {
  return eventually(async () => {
    const { status, body } = await merchant.get(`/v1/sessions/${sessionId}/payment-result`)
    return status === 200 && body.status !== 'processing' ? body : undefined
  })
}

export async function letLeasesEnd(merchant: Caller): Promise<void> {
  expect((await merchant.post('/v1/test_helpers/clock/advance', { seconds: 6 })).status).toBe(200)
}

/** The credential that was handed out is the one the network minted for this charge: it buys, once. */
export async function expectSpendable(merchant: Caller, result: Answer['body']): Promise<void> {
  const [{ line_items }] = result.transactions
  const [{ token, dynamic_cvv, expiry_month, expiry_year }] = line_items
  const payment = {
    ...{ token, dynamic_cvv, expiry_month, expiry_year },
    ...{ amount: '40.00', currency: 'USD', merchant_url: 'https://tea.example' },
  }
  const attempts = [
    await merchant.post('/v1/test_helpers/authorizations', payment),
    await merchant.post('/v1/test_helpers/authorizations', payment),
  ]
  expect(attempts.map(({ body }) => body.approved)).toEqual([true, false])
}

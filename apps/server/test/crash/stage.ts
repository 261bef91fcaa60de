import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import {
  type Caller,
  callerOf,
  eventually,
  freePorts,
  type Program,
  readDevFile,
  startProgram,
  temporaryHome,
} from '../processes/program.ts'
import { type Answer, sessionBody, TEST_ROOT_KEY, type WalletCaller, walletCaller } from '../service.ts'
import { startWireProxy, type WireMessage, type WireProxy } from './wire-proxy.ts'

/** One database, and services that come and go in front of it. */
export interface Stage {
  database: TestDatabase
  /** For operator verbs on the same deployment: their home, and the environment beside the address of the database. */
  home: string
  env: Record<string, string>
  /** `serve` and `all` reach the database through a proxy of their own; `recover` is `all`, and directly. */
  start(as: 'serve' | 'all' | 'recover'): Promise<Staged>
  close(): Promise<void>
}

export interface Staged {
  program: Program
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
  // What is held waits for the kill, and must not go another way before it because the network said nothing.
  const patience = { NETWORK_TIMEOUT_MS: '10000' }
  const common = { LOG_LEVEL: 'silent', ROOT_KEY_FILE: rootKeyFile, ...limits, ...patience, ...more }
  const staged = new Set<{ program: Program; proxy: WireProxy | null }>()
  return {
    database,
    home,
    env: common,
    async start(as) {
      const proxy = as === 'recover' ? null : await startWireProxy(database.connection)
      const env = { DATABASE_URL: proxy?.url ?? database.url, ...common }
      const program = startProgram([as === 'recover' ? 'all' : as], { home, port: await freePorts(), env })
      staged.add({ program, proxy })
      await program.ready()
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

/**
 * How much a sweep takes. `short`, unless said: the first message, the last and those that the sweep names, on the side where moments
 * differ. `all` (`npm run sweep`): each of them. `every`: in both directions, and on both sides.
 */
export const EXTENT = process.env.CRASH_SWEEP ?? 'short'

/**
 * Messages on which the server acts: a simple query, and the Sync that ends an extended one and commits it where no
 * transaction is open. Whatever a client sent before one of them (Parse, Bind, Execute) is undone when it dies, and what
 * the server answers changes nothing in it. So between two of these all moments of death are the same to the database.
 */
export function isKillPoint({ direction, type }: WireMessage): boolean {
  if (EXTENT === 'every') return true
  return direction === 'frontend' && (type === 'Q' || type === 'S')
}

export const BOTH_SIDES = ['before', 'after'] as const

/**
 * On which side of its messages a service dies, where nothing else differs. What the server has done after one message is what it has done
 * before the next, and what the service knew dies with it.
 */
export const SIDES = EXTENT === 'every' ? BOTH_SIDES : (['after'] as const)

/** For what has so few messages that the side before the first counts, too. */
export const SIDES_OF_FEW = EXTENT === 'short' ? (['after'] as const) : BOTH_SIDES

/** From one message to the next where a service lives on, and each of its messages is met in turn. */
export const STEP = EXTENT === 'short' ? 3 : 1

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

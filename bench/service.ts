import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { postgresProcessesIn, sendSignal } from '@mintmark/embedded-postgres/processes'
import { freePorts } from '../apps/server/test/processes/spawn.ts'

/** The service under test: a process of its own, started as an operator starts it. */
export interface BenchedService {
  readonly pid: number
  readonly url: string
  /** From the start of the process to the first `200` of `/ready`. */
  readonly readyMillis: number
  readonly merchantId: string
  readonly secretKey: string
  /** The wallet API, and its key. */
  readonly walletUrl: string
  readonly walletKey: string
  /** The secret keys of as many further merchants, made as an operator makes them. */
  addMerchants(count: number): Promise<string[]>
  /** Resident memory of the service's process, PostgreSQL's not among it. */
  residentMegabytes(): Promise<number>
  /** How it ended: a signal or an exit code. */
  ended: Promise<string>
  stop(): Promise<void>
}

interface ServiceOptions {
  readonly home: string
  /** Where to leave a CPU profile, or null. */
  readonly profileDirectory: string | null
  /** Where to leave the statements of journeys (`record-statements.ts`), or nothing. */
  readonly recordTo?: string
  /** Another checkout of the project, with its packages installed, whose program is started in place of this one's. */
  readonly checkout?: string
  /** Further settings. */
  readonly env?: Readonly<Record<string, string>>
}

const CHECKOUT = new URL('..', import.meta.url).pathname
const RECORDER = new URL('processes/record-statements.ts', import.meta.url).pathname
const MAX_START_MILLIS = 60_000
const DEATH_SEEN_WITHIN_MILLIS = 500

/**
 * Work beside a service of its own. When the service ends by itself the work has failed: nothing waits for responses that
 * never come.
 */
export async function withService<T>(
  options: ServiceOptions,
  work: (service: BenchedService) => Promise<T>,
): Promise<T> {
  const service = await startService(options)
  try {
    const died = service.ended.then((how) => Promise.reject(new Error(`The service ended by itself (${how}).`)))
    const done = work(service)
    // What fails because the service has ended may be seen before its end.
    const failed = done.catch(async (error: unknown) => {
      await Promise.race([died, delay(DEATH_SEEN_WITHIN_MILLIS)])
      throw error
    })
    return await Promise.race([failed, died])
  } finally {
    await service.stop()
  }
}

async function startService(options: ServiceOptions): Promise<BenchedService> {
  const { home, profileDirectory, recordTo, checkout = CHECKOUT, env } = options
  const port = await freePorts()
  const url = `http://127.0.0.1:${port}`
  const profiling = profileDirectory === null ? '' : `--cpu-prof --cpu-prof-dir="${profileDirectory}"`
  const recording = recordTo === undefined ? '' : `--import="${RECORDER}"`
  const startedAt = performance.now()
  const child = spawn(join(checkout, 'bin/mintmark'), ['all'], {
    cwd: checkout,
    // Nothing of the caller's configuration may decide what is measured.
    env: {
      PATH: process.env.PATH,
      NODE_OPTIONS: `${profiling} ${recording}`.trim(),
      HOME: process.env.HOME,
      MINTMARK_HOME: home,
      PORT: String(port),
      LOG_LEVEL: 'warn',
      SANDBOX_SHOP: 'off',
      RATE_LIMIT_MERCHANT: '100000000',
      RATE_LIMIT_LAUNCH: '100000000',
      RATE_LIMIT_WALLET: '100000000',
      ...(recordTo === undefined ? {} : { RECORDED_STATEMENTS: recordTo }),
      SESSION_LIFETIME_SECONDS: '86400',
      // The cache is of this home, so that the first start compiles everything, as on a new machine.
      NODE_COMPILE_CACHE: join(home, 'compile-cache'),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit').then(([code, signal]) => String(signal ?? code))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    // Nothing is left of a service that ended by itself.
    for (const pid of await postgresProcessesIn(join(home, 'postgres', 'data')).catch(() => []))
      sendSignal(pid, 'SIGKILL')
  }
  try {
    await untilReady(url, ended)
    const readyMillis = performance.now() - startedAt
    const dev = JSON.parse(await readFile(join(home, 'dev.json'), 'utf8')) as {
      merchant_id: string
      secret_key: string
      wallet_api_key: string
    }
    return {
      pid: child.pid ?? 0,
      url,
      readyMillis,
      merchantId: dev.merchant_id,
      secretKey: dev.secret_key,
      walletUrl: `http://127.0.0.1:${port + 1}`,
      walletKey: dev.wallet_api_key,
      addMerchants: (count) =>
        Promise.all(Array.from({ length: count }, (_, at) => addMerchant(checkout, home, `Shop ${at}`))),
      residentMegabytes: () => residentMegabytes(child.pid ?? 0),
      ended,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function addMerchant(checkout: string, home: string, name: string): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, MINTMARK_HOME: home }
  const made = await promisify(execFile)(join(checkout, 'bin/mintmark'), ['merchant', 'create', '--name', name], {
    env,
  })
  return (JSON.parse(made.stdout) as { secret_key: string }).secret_key
}

async function untilReady(url: string, ended: Promise<unknown>): Promise<void> {
  let over = false
  void ended.then(() => {
    over = true
  })
  for (const deadline = performance.now() + MAX_START_MILLIS; performance.now() < deadline && !over; ) {
    const answer = await fetch(`${url}/ready`).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.status === 200) return
    await delay(5)
  }
  throw new Error(over ? 'The service ended before it was ready.' : 'The service was not ready in time.')
}

async function residentMegabytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout.trim()) / 1024
}

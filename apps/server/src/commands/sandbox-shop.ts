import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Country } from '@mintmark/contract'
import type { Config } from '../config.ts'
import { createKeyFile, readKeyFile } from '../platform/key-file.ts'
import type { Log } from '../platform/log.ts'
import { type Secret, secret } from '../platform/secret.ts'

/** The shop that a sandbox starts for itself, as it is registered and called. */
export interface SandboxShop {
  name: string
  /** As the card network knows it: credentials are minted for this host. Another one than it listens at, so that a moved port changes nothing. */
  url: string
  country: Country
  /** Its own API is below `/api`, the Agentic Commerce Protocol below `/acp`. */
  baseUrl: string
  key: Secret
}

const PROGRAM = fileURLToPath(new URL('../../../../examples/sandbox-shop/server.ts', import.meta.url))
const FIRST_PAUSE_MILLIS = 250
const MAX_PAUSE_MILLIS = 30_000
/** A shop that lived so long did not fail at its start. */
const STABLE_MILLIS = 30_000
/** The shop writes down what its acquirer was asked, and ends. */
const STOP_MILLIS = 10_000

/** Null: there is none, in production, or because it is switched off. Its key is made once, for its owner alone (0600). */
export async function findSandboxShop(config: Config): Promise<SandboxShop | null> {
  if (config.environment !== 'sandbox' || config.sandboxShop === 'off') return null
  const file = join(config.home, 'shop.key')
  if ((await readKeyFile(file)) === undefined) await createKeyFile(file, randomBytes(32))
  const key = await readKeyFile(file)
  if (key === undefined) throw new Error(`The key file ${file} vanished while it was read.`)
  return {
    name: 'Sandbox Shop',
    url: 'https://sandbox-shop.example',
    country: 'US',
    baseUrl: `http://127.0.0.1:${config.sandboxShopPort}`,
    key: secret(key.reveal().toString('base64url')),
  }
}

interface Supervision {
  shop: SandboxShop
  config: Config
  /** A secret key of the sandbox: the shop charges at its acquirer. */
  acquirerKey: string
  log: Log
  program?: string
}

/**
 * Runs the shop as a child process and starts it again when it dies. Its first opening is a part of the service's readiness, and
 * nothing after it is. It has a process group of its own, so a Ctrl-C in the terminal does not end it before the service's work is
 * done, and it ends when the channel to this process closes, however this process ended.
 */
export function superviseShop({ shop, config, acquirerKey, log, program = PROGRAM }: Supervision) {
  const stopping = new AbortController()
  const tried = Promise.withResolvers<void>()
  let child: ChildProcess | undefined
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    for (let pause = FIRST_PAUSE_MILLIS; !stopping.signal.aborted; pause = Math.min(pause * 2, MAX_PAUSE_MILLIS)) {
      const startedAt = performance.now()
      const outcome = await runOnce()
      tried.resolve()
      if (stopping.signal.aborted) return
      if (performance.now() - startedAt > STABLE_MILLIS) pause = FIRST_PAUSE_MILLIS
      log.warn('the sandbox shop ended and is started again', { cause: outcome, duration_ms: pause })
      await delay(pause, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  async function runOnce(): Promise<string> {
    child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
      // Nothing of our own environment, which may hold secrets.
      env: {
        PORT: String(config.sandboxShopPort),
        SHOP_HOME: join(config.home, 'shop'),
        SHOP_KEY: shop.key.reveal(),
        SHOP_URL: shop.url,
        ACQUIRER_URL: acquirerUrl(config),
        ACQUIRER_KEY: acquirerKey,
      },
      stdio: ['ignore', 'ignore', config.logLevel === 'silent' ? 'ignore' : 'inherit', 'ipc'],
      detached: true,
    })
    const ended = once(child, 'exit').then(
      ([code, signal]) => String(signal ?? code),
      (error: NodeJS.ErrnoException) => error.code ?? 'it cannot be started',
    )
    child.on('message', (message: ShopMessage) => {
      tell(message, log)
      if ('url' in message) tried.resolve()
    })
    return ended
  }

  return {
    start(): void {
      if (existsSync(program)) running ??= run()
      else {
        log.warn('the sandbox shop is not installed, so nothing can be bought in this sandbox')
        tried.resolve()
      }
    },
    /** Ends when the shop is open, has ended instead, or is not there. */
    opened: (): Promise<void> => tried.promise,
    async stop(): Promise<void> {
      stopping.abort()
      tried.resolve()
      if (child?.connected === true) child.disconnect()
      const overdue = setTimeout(() => child?.kill('SIGKILL'), STOP_MILLIS)
      await running
      clearTimeout(overdue)
    },
  }
}

export type Supervised = ReturnType<typeof superviseShop>

/** What the shop says over its channel: that it is open, or why nothing can be paid there. */
type ShopMessage = { url: string } | { problem: 'key_refused' }

function tell(message: ShopMessage, log: Log): void {
  if ('url' in message) log.info('the sandbox shop is open', { port: Number(new URL(message.url).port) })
  else log.warn(KEY_REFUSED)
}

/** It has the key from this process, which reads `dev.json` when it starts and makes keys in the place of those that open nothing. */
const KEY_REFUSED =
  'nothing can be paid at the sandbox shop: the secret key of dev.json, which it charges with, was revoked. ' +
  'Start the service again: it makes another one, and what was bought meanwhile goes on'

/** The main API, from this machine: the public address may lead through a proxy, or nowhere yet. */
function acquirerUrl({ host, port }: Config): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (host === '::') return `http://[::1]:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

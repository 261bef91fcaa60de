import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { App } from '../compose/app.ts'
import type { Config } from '../config.ts'
import { startLoops } from '../jobs/loop.ts'
import { whenAlone } from '../jobs/presence.ts'
import { EVERY_LOOP, startWakes } from '../jobs/wake.ts'
import { releaseLeases } from '../jobs/work.ts'
import { proveKeys, startKeyNode } from '../keys/node.ts'
import { takeConsole } from '../platform/console.ts'
import { createLog, type Log } from '../platform/log.ts'
import type { MetricsRegistry } from '../platform/metrics-registry.ts'
import { listenWithAcceptors } from './acceptors.ts'
import { writeDevFile } from './dev-file.ts'
import { drainable } from './drain.ts'
import { openFoundation } from './foundation.ts'
import { hasHome, makeHome } from './home.ts'
import { findSandboxShop, type SandboxShop, type Supervised, superviseShop } from './sandbox-shop.ts'
import { printWelcome } from './welcome.ts'

export type Role = 'all' | 'serve' | 'worker'

interface RunningService {
  /** Takes no new work, finishes the work in hand, closes the database. Safe to call twice. */
  stop(): Promise<void>
}

/** Starts a role and returns once it is ready. When a step fails, everything that was started is stopped again. */
export async function runService(role: Role, config: Config): Promise<RunningService> {
  const startedAt = performance.now()
  const log = createLog({ level: config.logLevel })
  if (hasHome(config)) await makeHome(config.home)
  // Most of the program's code is loaded while the database starts. The empty handler prevents an unhandled rejection
  // before the await below.
  const loading = import('../compose/app.ts')
  loading.catch(() => undefined)
  const foundation = await openFoundation(config, log, { waitForDatabase: true })
  const giveConsoleBack = takeConsole(log)
  const stops: (() => Promise<unknown>)[] = [async () => giveConsoleBack(), () => foundation.close()]
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= stopAll(stops)
    return stopping
  }
  try {
    const registry = config.metricsPort === null ? null : await loadRegistry()
    const app = (await loading).compose(foundation, registry?.metrics)
    if (foundation.isAlone) await releaseLeases(foundation)
    else await whenAlone(foundation.pool, () => releaseLeases(foundation))
    const node = startKeyNode({ ...foundation, ring: foundation.keys.ring })
    stops.push(() => node.stop())
    // After its first report: a rotation from now on waits for this process.
    await node.report()
    await proveKeys({ ring: foundation.keys.ring, log })
    const hasDevFile = config.environment === 'sandbox' && role !== 'worker'
    const dev = hasDevFile ? await writeDevFile(config, foundation.pool, app.merchants) : null
    const shop = role === 'all' ? await findSandboxShop(config) : null
    const { pool, connection, clock } = foundation
    const wakes = startWakes({ pool, connection, log, refreshClock: clock.refresh })
    clock.onMoved(() => wakes.wake(EVERY_LOOP))
    stops.push(() => wakes.stop())
    const supervised = shop && dev && superviseShop({ shop, config, acquirerKey: dev.secret_key, log })
    if (shop !== null) await registerShop(app, shop)
    if (supervised !== null) {
      stops.push(() => supervised.stop())
      supervised.start()
      app.readiness.awaits(stocked(app, supervised, log))
    }
    if (role !== 'serve') {
      const loops = startLoops(app.jobs, { log, clock, wakes })
      stops.push(() => loops.stop())
    }
    if (role !== 'worker') {
      const uses = app.merchants.keepKeyUses(log)
      stops.push(() => uses.stop())
      await listen(config, app, stops)
    } else stops.push(() => app.readiness.close())
    if (registry !== null) stops.push(await watch(config, registry, app, log))
    if (clock.closedSince() !== null) {
      log.warn('closed to callers since a restore: mintmark restored show, then mintmark restored open')
    }
    if (clock.agentsHeldSince() !== null) {
      log.warn('agents are held since a restore: mintmark restored show, then mintmark restored agents')
    }
    await app.readiness.begun()
    printWelcome({
      config,
      role,
      dev,
      shopUrl: shop?.baseUrl ?? null,
      server: foundation.server,
      mail: app.mailDescription,
      millis: performance.now() - startedAt,
    })
    return { stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** What is bought in a sandbox is bought there. */
async function registerShop({ shops }: App, { key, ...shop }: SandboxShop): Promise<void> {
  await shops.ensureSandboxShop({ ...shop, adapter: 'native' }, key)
}

/** A second or two, as a rule. The service is ready without a catalog that takes longer. */
const STOCKED_WITHIN_MILLIS = 10_000

/** A caller that is told that the service is ready finds something to buy in either API. */
async function stocked({ stores }: App, shop: Pick<Supervised, 'opened'>, log: Log): Promise<void> {
  const stocking = shop.opened().then(() => stores.feedDue())
  const late = delay(STOCKED_WITHIN_MILLIS, undefined, { ref: false })
  await Promise.race([stocking, late]).catch((error: unknown) => log.failure('the catalog comes later', error))
}

async function listen(config: Config, app: App, stops: (() => Promise<unknown>)[]): Promise<void> {
  const hosts: [FastifyInstance, number, string][] = [
    [await app.buildApiHost(), config.port, 'main API'],
    [await app.buildWalletHost(), config.port + 1, 'wallet API'],
    [await app.buildSurfaceHost(), config.port + 2, 'secure surface'],
  ]
  const owners = await app.buildOwnerHost()
  if (owners !== null) hosts.push([owners, config.port + 4, 'page of owners'])
  const closes = hosts.map(([host]) => drainable(host))
  stops.push(() => Promise.all(closes.map((close) => close())))
  for (const [host, port, name] of hosts) {
    await listenWithAcceptors(host, { host: config.host, port }).catch((cause: unknown) => {
      throw new Error(`The ${name} cannot listen on ${config.host}:${port}: ${explainListenError(cause)}`, { cause })
    })
  }
}

/** The code of the registry is loaded only where the operator has the metrics served. */
async function loadRegistry(): Promise<MetricsRegistry> {
  const { createMetricsRegistry } = await import('../platform/metrics-registry.ts')
  return createMetricsRegistry()
}

async function watch(config: Config, registry: MetricsRegistry, { readiness }: App, log: Log) {
  const { metricsHost: host, metricsPort } = config
  const { listenForMetrics } = await import('../hosts/metrics/listener.ts')
  const port = metricsPort ?? 0
  const listener = await listenForMetrics({ registry, readiness, host, port, log }).catch((cause: unknown) => {
    throw new Error(
      `The metrics cannot listen on ${host}:${port}: ${explainListenError(cause, 'METRICS_HOST', 'METRICS_PORT')}`,
      { cause },
    )
  })
  return listener.close
}

function explainListenError(cause: unknown, host = 'HOST', port = 'PORT'): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  switch (code) {
    case 'EADDRINUSE':
      return `another program uses the port. Set ${port} to another number.`
    case 'EACCES':
      return `this user may not use the port. Set ${port} to another number.`
    // A machine with IPv6 only has no 127.0.0.1.
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return `this machine has no such address. Set ${host} to one it has, such as ::1.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name has no address. Set ${host} to an address of this machine.`
    default:
      return `${code === '' ? 'it failed' : code}. Set ${host} and ${port} to an address and a port of this machine.`
  }
}

/** Last started, first stopped: hosts drain before workers stop, and the database is closed last. */
async function stopAll(stops: (() => Promise<unknown>)[]): Promise<void> {
  for (const stop of stops.reverse()) await stop()
}

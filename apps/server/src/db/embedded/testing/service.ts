/**
 * A service to be killed by tests. `node service.ts <home>` prints one JSON line once it runs or has failed.
 * SIGTERM: stops and ends. SIGUSR2: ends without stopping. SIGINT: prints "draining", as a service that finishes its work.
 */
import { startEmbedded } from '../index.ts'

const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)

process.on('SIGINT', () => say('draining'))
try {
  const postgres = await startEmbedded({ home: process.argv[2] ?? '' })
  process.on('SIGTERM', () => void postgres.stop().then(() => process.exit(0)))
  process.on('SIGUSR2', () => process.exit(3))
  say({ connection: postgres.connection, pid: postgres.pid })
} catch (error) {
  say({ error: error instanceof Error ? { name: error.name, message: error.message } : String(error) })
  process.exitCode = 1
}

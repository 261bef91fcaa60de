/**
 * A service for tests to kill. `node service.ts <home>` prints one JSON line once it runs or has failed. SIGTERM: stops
 * and ends. SIGUSR2: ends without stopping. SIGINT: prints "draining", like a service that finishes its work.
 */
import { startEmbedded } from '../index.ts'

const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)

process.on('SIGINT', () => print('draining'))
try {
  const postgres = await startEmbedded({ home: process.argv[2] ?? '' })
  process.on('SIGTERM', () => void postgres.stop().then(() => process.exit(0)))
  process.on('SIGUSR2', () => process.exit(3))
  print({ connection: postgres.connection, pid: postgres.pid })
} catch (error) {
  print({ error: error instanceof Error ? { name: error.name, message: error.message } : String(error) })
  process.exitCode = 1
}

#!/usr/bin/env node
import { enableCompileCache } from 'node:module'

// Later starts skip compiling; the cache is Node's own and keyed by file contents.
enableCompileCache()

const USAGE = `Usage: mintmark <command>

  all        everything in one process (the default of npm start)
  serve      the HTTP hosts only
  worker     the background work only; any number of them
  migrate    bring the database's schema up to date, and end
`

async function main(words: string[]): Promise<void> {
  const [{ readConfig }, { ADMIN_USAGE, runAdmin, UsageError }] = await Promise.all([
    import('./config.ts'),
    import('./commands/admin.ts'),
  ])
  const command = words[0] ?? 'all'
  try {
    const config = readConfig(process.env)
    switch (command) {
      case 'all':
      case 'serve':
      case 'worker':
        return await runUntilStopped(command, config)
      case 'migrate':
        return await runMigrate(config)
      case 'merchant':
      case 'key':
        return await runAdmin(words, config)
      default:
        throw new UsageError(`there is no command "${command}"`)
    }
  } catch (error) {
    if (error instanceof UsageError) console.error(`mintmark: ${error.message}\n\n${USAGE}${ADMIN_USAGE.slice(1)}\n`)
    else console.error(`mintmark: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}

type Config = ReturnType<typeof import('./config.ts')['readConfig']>

/** Ctrl-C and SIGTERM drain and end; a second one, or a drain that takes too long, ends at once. */
async function runUntilStopped(role: 'all' | 'serve' | 'worker', config: Config): Promise<void> {
  const stopRequested = new Promise<void>((resolve) => {
    const onSignal = () => {
      process.once('SIGINT', exitNow).once('SIGTERM', exitNow)
      resolve()
    }
    process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  })
  // From the request on, also in the middle of a start.
  void stopRequested.then(() => setTimeout(exitNow, DRAIN_MILLIS).unref())
  const { runService } = await import('./commands/run.ts')
  const service = await runService(role, config)
  await stopRequested
  await service.stop()
}

const DRAIN_MILLIS = 15_000

function exitNow(): never {
  process.exit(1)
}

async function runMigrate(config: Config): Promise<void> {
  const [{ openFoundation }, { reachDatabase }, { createLog }] = await Promise.all([
    import('./commands/foundation.ts'),
    import('./commands/database.ts'),
    import('./platform/log.ts'),
  ])
  const foundation = await openFoundation(config, createLog({ level: config.logLevel }), {
    reach: reachDatabase,
    patient: true,
  })
  await foundation.close()
  console.log('The schema is up to date.')
}

await main(process.argv.slice(2))

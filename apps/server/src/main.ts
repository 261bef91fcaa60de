#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Role } from './commands/run.ts'
import type { Config } from './config.ts'

// Later starts skip compiling; the cache is Node's own and keyed by file contents. Not where Node would put it: what lies
// there is run as it is, and in the common directory of temporary files another user may have laid it.
const cache = process.env.XDG_CACHE_HOME || ownCache()
if (cache !== null) enableCompileCache(join(cache, 'mintmark'))

/** Null for a user that the machine does not know, as containers have them, and whose HOME is not set. */
function ownCache(): string | null {
  try {
    return join(homedir(), '.cache')
  } catch {
    return null
  }
}

/** How long a stop may take before the process ends without finishing its work. */
const DRAIN_MILLIS = 15_000
const ROLES: readonly string[] = ['all', 'serve', 'worker'] satisfies Role[]

async function main(words: string[]): Promise<void> {
  const [word = 'all', ...rest] = words
  try {
    // A role takes no options. Without the parser of the other commands it starts 10 ms sooner.
    if (isRole(word) && rest.length === 0) return await runUntilStopped(word)
    const { runCommandLine } = await import('./commands/command-line.ts')
    await runCommandLine(words, { loadConfig, runUntilStopped })
  } catch (error) {
    const { exitCodeOf } = await import('@mintmark/cli/failure')
    const { printable } = await import('@mintmark/cli/printable')
    // The console of a service is its libraries', and taken into its log.
    process.stderr.write(`${printable(`mintmark: ${error instanceof Error ? error.message : String(error)}`)}\n`)
    process.exitCode = exitCodeOf(error)
  }
}

function isRole(word: string): word is Role {
  return ROLES.includes(word)
}

async function loadConfig(): Promise<Config> {
  const { readConfig } = await import('./config.ts')
  return readConfig(process.env)
}

/** Ctrl-C and SIGTERM finish the work in hand and end; a second one, or a drain that takes too long, ends immediately. */
async function runUntilStopped(role: Role): Promise<void> {
  const config = await loadConfig()
  const stopRequested = new Promise<void>((resolve) => {
    const onSignal = () => {
      process.once('SIGINT', exitNow).once('SIGTERM', exitNow)
      resolve()
    }
    process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  })
  // The time runs from the request, also when it comes during the start.
  void stopRequested.then(() => setTimeout(exitNow, DRAIN_MILLIS).unref())
  const { runService } = await import('./commands/run.ts')
  const service = await runService(role, config)
  await stopRequested
  await service.stop()
}

function exitNow(): never {
  process.exit(1)
}

await main(process.argv.slice(2))

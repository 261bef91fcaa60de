import { exitCodeOf } from '@mintmark/cli/failure'
import { printable } from '@mintmark/cli/printable'
import { vi } from 'vitest'
import { runCommandLine } from '../../src/commands/command-line.ts'
import { type Role, runService } from '../../src/commands/run.ts'
import { readConfig } from '../../src/config.ts'
import type { Program } from './spawn.ts'

interface Settings {
  home: string
  port?: number
  env?: Record<string, string>
}

/** The environment that `startProgram` would give. What the log says would stand between the lines of the run. */
const environment = ({ home, port = 4000, env = {} }: Settings) =>
  ({ MINTMARK_HOME: home, PORT: String(port), LOG_LEVEL: 'silent', SANDBOX_SHOP: 'off', ...env }) as const

/**
 * Runs a verb to its end in the process of the test, with the environment that `runProgram` would give it; a role that
 * comes up is stopped again. A verb costs a program a second of a processor, and a role four; a list of wrong words
 * has a dozen of them. What the log says goes by: look at it with `runProgram`.
 */
export async function runVerb(words: readonly string[], settings: Settings): Promise<{ code: number; output: string }> {
  const lines: string[] = []
  const said = hear(lines)
  const loadConfig = async () => readConfig(environment(settings))
  const runUntilStopped = async (role: Role) => (await runService(role, await loadConfig())).stop()
  try {
    await runCommandLine([...words], { loadConfig, runUntilStopped })
    return { code: 0, output: lines.join('') }
  } catch (error) {
    lines.push(printable(`mintmark: ${error instanceof Error ? error.message : String(error)}\n`))
    return { code: exitCodeOf(error), output: lines.join('') }
  } finally {
    said.mockRestore()
  }
}

/** A service, wherever it runs. */
export type Running = Pick<Program, 'port' | 'apiUrl' | 'walletUrl' | 'surfaceUrl' | 'home' | 'output' | 'stop'>

/**
 * Runs a role in the process of the test, from when it is ready to its stop. For what a start does and says, not for
 * what dies: that is a program of its own.
 */
export async function runRole(role: Role, settings: Settings): Promise<Running> {
  const { home, port = 4000 } = settings
  const lines: string[] = []
  const said = hear(lines)
  const service = await runService(role, readConfig(environment(settings))).finally(() => said.mockRestore())
  const [apiUrl = '', walletUrl = '', surfaceUrl = ''] = [0, 1, 2].map((offset) => `http://127.0.0.1:${port + offset}`)
  const stop = () => service.stop().then(() => ({ code: 0, signal: null }))
  return { port, apiUrl, walletUrl, surfaceUrl, home, output: () => lines.join(''), stop }
}

const hear = (lines: string[]) =>
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(`${line}\n`))

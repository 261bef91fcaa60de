import { exitCodeOf } from '@mintmark/cli/failure'
import { printable } from '@mintmark/cli/printable'
import { vi } from 'vitest'
import { runCommandLine } from '../../src/commands/command-line.ts'
import { readConfig } from '../../src/config.ts'

/**
 * Runs a verb to its end in the process of the test, with the environment that `runProgram` would give it. A start costs half a second of a
 * processor, and a list of wrong words has a dozen of them. What the log says goes by: look at it with `runProgram`.
 */
export async function runVerb(
  words: readonly string[],
  { home, env = {} }: { home: string; env?: Record<string, string> },
): Promise<{ code: number; output: string }> {
  const lines: string[] = []
  const said = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(`${line}\n`))
  try {
    const config = { MINTMARK_HOME: home, PORT: '4000', LOG_LEVEL: 'silent', SANDBOX_SHOP: 'off', ...env }
    const never = () => Promise.reject(new Error('A verb starts no service.'))
    await runCommandLine([...words], { loadConfig: async () => readConfig(config), runUntilStopped: never })
    return { code: 0, output: lines.join('') }
  } catch (error) {
    lines.push(printable(`mintmark: ${error instanceof Error ? error.message : String(error)}\n`))
    return { code: exitCodeOf(error), output: lines.join('') }
  } finally {
    said.mockRestore()
  }
}

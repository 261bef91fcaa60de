import type { Log } from './log.ts'

const METHODS = ['debug', 'dir', 'dirxml', 'error', 'info', 'log', 'trace', 'warn'] as const

/**
 * What a library writes to the console stands between the lines of the log, unexplained, and in words that may quote anything. From now on it is a
 * line of the log, which says by the frames of the stack who wrote it, and not what. Returns what gives the console back.
 */
export function takeConsole(log: Log): () => void {
  const { console } = globalThis
  const before = Object.fromEntries(METHODS.map((method) => [method, console[method]]))
  const take = (...said: readonly unknown[]) =>
    log.failure('a library wrote to the console', said.find((each) => each instanceof Error) ?? new ConsoleLine())
  for (const method of METHODS) console[method] = take
  return () => void Object.assign(console, before)
}

/** Made for its stack. */
class ConsoleLine extends Error {}

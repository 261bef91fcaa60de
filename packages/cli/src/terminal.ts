import { styleText } from 'node:util'

/** What a command needs of the process it runs in. */
export interface Terminal {
  env: NodeJS.ProcessEnv
  /** One line to standard output. */
  say(line: string): void
  paint(style: Style, text: string): string
  /** Aborted by Ctrl-C and SIGTERM. */
  stopped: AbortSignal
}

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow'

/** Runs a command until it ends, or until Ctrl-C: that is no failure. A second Ctrl-C does not wait. */
export async function untilInterrupted(run: (terminal: Terminal) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) process.exit(1)
    controller.abort(new Interrupted())
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  // It stays: the last line may fail when the command is over. Once, however many commands a process runs.
  process.stdout.off('error', endWithReader).on('error', endWithReader)
  try {
    await run({ env: process.env, say, paint, stopped: controller.signal })
  } catch (error) {
    if (!(controller.signal.aborted && error === controller.signal.reason)) throw error
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}

/** A reader that went away (`| head`) has seen enough. */
function endWithReader(): never {
  process.exit(0)
}

class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** `styleText` looks at NO_COLOR, FORCE_COLOR and whether a person reads. */
function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout })
}

/** Text of others on one line, without what a terminal would take for a command. */
export function printable(text: string, length = 120): string {
  const line = text.replaceAll(/[\p{C}\s]+/gu, ' ').trim()
  return line.length > length ? `${line.slice(0, length)}…` : line
}

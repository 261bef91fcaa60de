import { printable } from './printable.ts'
import { UsageError } from './usage.ts'

/** What a command needs of the process it runs in. */
export interface Terminal {
  env: NodeJS.ProcessEnv
  /** One line to standard output; with `--json` to standard error. */
  say(line: string): void
  /** With `--json`: one answer to standard output, on a line of its own. Then nothing else goes there. */
  tell?: ((answer: object) => void) | undefined
  paint(style: Style, text: string): string
  /** Aborted by Ctrl-C and SIGTERM. */
  stopped: AbortSignal
}

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow'

/** Runs a command until it ends, or until Ctrl-C: that is no failure. A second Ctrl-C does not wait. */
export async function untilInterrupted(
  run: (terminal: Terminal) => Promise<void>,
  { json = false }: { json?: boolean } = {},
): Promise<void> {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) process.exit(1)
    controller.abort(new Interrupted())
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  // It stays: the last line may fail when the command is over. Once, however many commands a process runs.
  process.stdout.off('error', endWithReader).on('error', endWithReader)
  try {
    const terminal = { env: process.env, say, paint, stopped: controller.signal }
    await run(json ? { ...terminal, ...FOR_PROGRAMS } : terminal)
  } catch (error) {
    if (controller.signal.aborted && error === controller.signal.reason) return
    // Wrong words are told where all of them are (`runWords`).
    if (json && !(error instanceof UsageError)) tell(errorAnswer(error))
    throw error
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

function tell(answer: object): void {
  say(printable(JSON.stringify(answer)))
}

const FOR_PROGRAMS = {
  tell,
  say: (line: string) => void process.stderr.write(`${line}\n`),
  paint: (_style: Style, text: string) => text,
}

function errorAnswer(error: unknown) {
  const { code, message } = error as { code?: unknown; message?: string }
  return { error: { code: typeof code === 'string' ? code : 'FAILED', message } }
}

const STYLES: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  green: [32, 39],
  red: [31, 39],
  yellow: [33, 39],
}

/** The function of Node that does this came after the oldest Node that this program runs on. */
function paint(style: Style, text: string): string {
  const { FORCE_COLOR, NO_COLOR } = process.env
  const isWanted = FORCE_COLOR === undefined ? !NO_COLOR && process.stdout.isTTY : FORCE_COLOR !== '0'
  const [on, off] = STYLES[style]
  return isWanted ? `\u001b[${on}m${text}\u001b[${off}m` : text
}

/** Text of others on one line, without what a terminal would take for a command. */
export function oneLine(text: string, length = 120): string {
  const line = text.replaceAll(/[\p{C}\s]+/gu, ' ').trim()
  return line.length > length ? `${line.slice(0, length)}…` : line
}

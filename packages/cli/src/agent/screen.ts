import { type ExitCode, Failure } from '../failure.ts'
import { printable, printableLine } from '../printable.ts'
import { type Terminal, untilInterrupted } from '../terminal.ts'
import { UsageError } from '../usage.ts'

/** What every command of an agent takes. */
export interface CommonWords {
  json?: true
  home?: string
}

/** What a command of an agent needs of the process it runs in. */
export interface Screen extends Omit<Terminal, 'say'> {
  /** Whether the answer is for a program: one JSON document on standard output, and nothing else there. */
  json: boolean
  /** A folder, where one was named. */
  home: string | undefined
  /** One line for people, on standard error with `--json`. */
  note(line: string): void
  /** The answer: lines for people, or JSON. */
  show(answer: object, words: string[]): void
  /** A line that is written over by the next one, where a person watches. */
  progress(line: string): void
}

/** Runs a command of an agent. Why it failed is, with `--json`, the answer as well. */
export async function onScreen(
  { json, home }: CommonWords,
  work: (screen: Screen) => Promise<ExitCode>,
): Promise<void> {
  await untilInterrupted(async (terminal) => {
    const screen = createScreen(terminal, json === true, home)
    try {
      const code = await work(screen)
      // An answer that is a no is an answer: nothing is thrown.
      if (code !== 0) process.exitCode = code
    } catch (error) {
      // Wrong words are told where all of them are (`runWords`).
      if (json !== true || error instanceof UsageError) throw error
      const { code, message, facts } = error instanceof Failure ? error : new Failure('INTERNAL_ERROR', String(error))
      write(process.stdout, { error: { code, message, ...facts } })
      throw error
    }
  })
}

function createScreen({ say, ...terminal }: Terminal, json: boolean, home: string | undefined): Screen {
  const { stderr } = process
  let isOpen = false
  const closeLine = () => {
    if (isOpen) stderr.write('\n')
    isOpen = false
  }
  const note = (line: string) => {
    closeLine()
    if (json) stderr.write(`${printableLine(line)}\n`)
    else say(printableLine(line))
  }
  return {
    ...terminal,
    json,
    home,
    note,
    show(answer, words) {
      closeLine()
      if (json) return write(process.stdout, answer)
      for (const line of words) say(printableLine(line))
    },
    progress(line) {
      if (!stderr.isTTY) return
      stderr.write(`\r\u001b[K${printableLine(line)}`)
      isOpen = true
    },
  }
}

function write(stream: NodeJS.WriteStream, value: object): void {
  stream.write(`${printable(JSON.stringify(value, null, 2))}\n`)
}

import { open, readFile, rename, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** Where the server's standard error goes. */
interface ServerLog {
  /** For `spawn`. */
  stdio: number | 'pipe'
  /** Call with the child's stream, if it has one. */
  attach(stream: Readable | null): void
  /** The last fatal line of this run. */
  lastFatal(): Promise<string | undefined>
  /** Closes this process's side once the child has its own. */
  close(): Promise<void>
}

const MAX_SIZE_BYTES = 8 << 20
const FATAL_LINE = /(?:FATAL|PANIC): .*/

/**
 * Opens a pipe to the caller's function, or the log file, to which the server can still write when this process is
 * dead.
 */
export function openServerLog(path: string, log: ((line: string) => void) | undefined): Promise<ServerLog> {
  return log ? Promise.resolve(pipeLog(log)) : fileLog(path)
}

/** Appends to the log. One old file is kept, so that the log cannot fill the disk. */
async function fileLog(path: string): Promise<ServerLog> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  )
  const rotate = size > MAX_SIZE_BYTES
  if (rotate) await rename(path, `${path}.1`)
  const start = rotate ? 0 : size
  const handle = await open(path, 'a', 0o600)
  return {
    stdio: handle.fd,
    attach() {},
    async lastFatal() {
      const written = (await readFile(path)).subarray(start).toString('utf8').split('\n')
      return written.findLast((line) => FATAL_LINE.test(line))?.match(FATAL_LINE)?.[0]
    },
    close: () => handle.close(),
  }
}

function pipeLog(log: (line: string) => void): ServerLog {
  let last: string | undefined
  return {
    stdio: 'pipe',
    attach(stream) {
      if (!stream) return
      createInterface({ input: stream }).on('line', (line) => {
        last = line.match(FATAL_LINE)?.[0] ?? last
        log(line)
      })
    },
    lastFatal: async () => last,
    close: async () => undefined,
  }
}

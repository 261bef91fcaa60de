import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

// The service as a process of its own. It knows no test runner: the soak starts its workers with it, too.

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
/** For a program that hangs: the machine may be as busy as it likes. */
const READY_WITHIN_MILLIS = 240_000

/** How a program ended: one of the two is null. */
interface End {
  code: number | null
  signal: NodeJS.Signals | null
}

/** The service, or an admin verb, in a process of its own. */
export interface Program {
  pid: number
  port: number
  apiUrl: string
  walletUrl: string
  surfaceUrl: string
  home: string
  ended: Promise<End>
  isRunning(): boolean
  /** Everything written so far, to standard output and standard error. */
  output(): string
  /**
   * Waits until `/ready` says so; throws with the output when the program ends first. Returns the milliseconds since
   * the spawn.
   */
  ready(): Promise<number>
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<End>
}

interface ProgramSettings {
  home: string
  port?: number
  env?: Record<string, string>
}

const running = new Set<ChildProcess>()

/**
 * Read by every program before its own code: it ends when its standard input does, that is when the test process is gone,
 * however that died.
 */
const END_WITH_PARENT = "data:text/javascript,process.stdin.on('close', () => process.exit(1)).resume().unref()"

/** Ends every program that still runs, and what it started. */
export function killAll(): void {
  for (const child of running) if (child.pid !== undefined) killGroup(child.pid)
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

/** Starts `mintmark <words>`, in a process group of its own as a terminal would, and with nothing of our environment. */
export function startProgram(words: string[], { home, port = 4000, env = {} }: ProgramSettings): Program {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['--import', END_WITH_PARENT, MAIN, ...words], {
    env: {
      PATH: process.env.PATH,
      MINTMARK_HOME: home,
      PORT: String(port),
      LOG_LEVEL: 'error',
      SANDBOX_SHOP: 'off',
      ...env,
    },
    stdio: 'pipe',
    detached: true,
  })
  running.add(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  }
  let end: End | undefined
  const ended = new Promise<End>((resolve) => {
    // Not `exit`: a program that inherited the pipes and lives on would show here.
    child.once('close', (code, signal) => {
      running.delete(child)
      end = { code, signal }
      resolve(end)
    })
  })
  const apiUrl = `http://127.0.0.1:${port}`
  return {
    pid: child.pid ?? 0,
    port,
    apiUrl,
    walletUrl: `http://127.0.0.1:${port + 1}`,
    surfaceUrl: `http://127.0.0.1:${port + 2}`,
    home,
    ended,
    isRunning: () => end === undefined,
    output: () => text,
    async ready() {
      const deadline = startedAt + READY_WITHIN_MILLIS
      while (!(await answersReady(apiUrl))) {
        if (end !== undefined) throw new Error(`The program ended (${end.signal ?? end.code}):\n${text}`)
        if (performance.now() > deadline) throw new Error(`The program is not ready:\n${text}`)
        await delay(20)
      }
      return performance.now() - startedAt
    },
    stop(signal = 'SIGTERM') {
      if (end === undefined) child.kill(signal)
      return ended
    },
  }
}

/** Runs an admin verb or `migrate` to its end. */
export async function runProgram(words: string[], settings: ProgramSettings): Promise<End & { output: string }> {
  const program = startProgram(words, settings)
  return { ...(await program.ended), output: program.output() }
}

async function answersReady(apiUrl: string): Promise<boolean> {
  return fetch(`${apiUrl}/ready`).then(
    async (response) => {
      await response.arrayBuffer()
      return response.ok
    },
    () => false,
  )
}

/**
 * A free port below those the system hands out by itself: to any connection, also in the moment before it is listened at. Its neighbour is
 * kept listening for as long as this process lives: where two processes find the same port free while neither program listens yet,
 * one would talk to the other's.
 */
export async function freePort(): Promise<number> {
  return (await freeRow(1, 10_000)) ?? freePort()
}

/** The first of six free ports in a row, as above. */
export async function freePorts(): Promise<number> {
  return (await freeRow(6, 20_000)) ?? freePorts()
}

/** The only one in our reach that no browser opens (Fetch Standard, "bad port"). */
const REFUSED_BY_BROWSERS = new Set([10_080])

/** One of the rows that fit into the ten thousand ports from here, each with a port behind it that says whose the row is. */
async function freeRow(length: number, from: number): Promise<number | undefined> {
  const rows = Math.floor(10_000 / (length + 1))
  const first = from + (length + 1) * Math.floor(Math.random() * rows)
  if (!(await keepListening(first + length))) return undefined
  if (Array.from({ length }, (_, offset) => first + offset).some((port) => REFUSED_BY_BROWSERS.has(port)))
    return undefined
  const free = await Promise.all(Array.from({ length }, (_, offset) => isFree(first + offset)))
  return free.every(Boolean) ? first : undefined
}

/** Only one process can: the system decides. */
function keepListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().unref()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

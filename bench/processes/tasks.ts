import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A process of the benchmark's own that does one task at a time. */
export interface Worker<Task, Answer> {
  readonly pid: number
  run(task: Task): Promise<Answer>
  stop(): Promise<void>
}

/** As `bin/mintmark` starts the service, so that a program beside it has the same memory. */
export const SERVICE_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=50']

type Reply<Answer> = { answer: Answer } | { failure: string }

/** Starts a file of this folder as a process; it serves tasks with `serveTasks`. */
export function startWorker<Task extends object, Answer>(
  file: string,
  execArgv: readonly string[] = [],
): Worker<Task, Answer> {
  const child: ChildProcess = fork(new URL(file, import.meta.url), { stdio: 'inherit', execArgv: [...execArgv] })
  const ended = once(child, 'exit')
  return {
    pid: child.pid ?? 0,
    async run(task) {
      const replied = once(child, 'message')
      child.send(task)
      const first = await Promise.race([replied, ended.then(() => undefined)])
      if (first === undefined) throw new Error(`${file} ended by itself.`)
      const reply = first[0] as Reply<Answer>
      if ('failure' in reply) throw new Error(`${file}: ${reply.failure}`)
      return reply.answer
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** The other side: replies to each task; ends when the benchmark does. */
export function serveTasks<Task, Answer>(work: (task: Task) => Promise<Answer>): void {
  process.on('message', (task: Task) => {
    work(task).then(
      (answer) => process.send?.({ answer }),
      (error: unknown) => process.send?.({ failure: error instanceof Error ? error.message : String(error) }),
    )
  })
  process.on('disconnect', () => process.exit(0))
}

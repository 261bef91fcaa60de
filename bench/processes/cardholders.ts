import { Agent } from 'node:http'
import { PAYMENT_STEPS } from '../payment-steps.ts'
import { cpuMillis } from './cpu.ts'
import { serveTasks } from './tasks.ts'

export interface CardholdersTask {
  readonly url: string
  /** The process under test, whose processor time is counted. */
  readonly pid: number
  readonly secretKey: string
  /** How many whole payments, by how many cardholders at a time. */
  readonly journeys: number
  readonly atOnce: number
}

export interface CardholdersAnswer {
  readonly perSecond: number
  /** Processor time of the service's process, a journey; null where the system does not tell. */
  readonly cpuMicros: number | null
  /** From the merchant's creation to its report, in milliseconds. */
  readonly latencies: readonly number[]
}

/** New customers who pay: a merchant's backend and the page's calls, with an authenticator in software. */
serveTasks<CardholdersTask, CardholdersAnswer>(async ({ url, pid, secretKey, journeys, atOnce }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const latencies: number[] = []
  const cpuBefore = await cpuMillis(pid)
  const startedAt = performance.now()
  let next = 0
  const loop = async () => {
    while (next < journeys) {
      const payer = { url, secretKey, name: `${process.pid}-${startedAt}-${next++}`, agent, known: {} }
      const begunAt = performance.now()
      for (const step of PAYMENT_STEPS) await step.run(payer)
      latencies.push(performance.now() - begunAt)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, loop))
  const seconds = (performance.now() - startedAt) / 1000
  const cpuAfter = await cpuMillis(pid)
  agent.destroy()
  const cpuMicros = cpuBefore === null || cpuAfter === null ? null : ((cpuAfter - cpuBefore) * 1000) / journeys
  return { perSecond: journeys / seconds, cpuMicros, latencies }
})

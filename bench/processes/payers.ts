import { Agent } from 'node:http'
import { readUsed, usedSince, type Watched } from '../lean/processor-time.ts'
import { CHARGE_STEP, PAYMENT_STEPS, type Payer, type PaymentStep } from '../payment-steps.ts'
import { serveTasks } from './tasks.ts'

/** Payments of new customers, or charges of mandates: so many, by so many callers at a time. */
export interface PayersTask {
  readonly url: string
  readonly secretKey: string
  readonly watched: Watched
  readonly count: number
  readonly atOnce: number
  /** Charged in turn; none: whole payments. */
  readonly mandates: readonly string[]
}

/** Processor time of one, in microseconds. The callers' own is not in it. */
export interface Cost {
  readonly name: string
  readonly node: number
  readonly postgres: number
}

export interface PayersAnswer {
  readonly steps: readonly Cost[]
  readonly perSecond: number
}

/**
 * Request by request: all payments are created, then all are launched. So processor time can be told apart by request,
 * which a program that does several at once cannot.
 */
serveTasks<PayersTask, PayersAnswer>(async (task) => {
  const { url, secretKey, watched, count, atOnce, mandates } = task
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const batch = `${process.pid}-${performance.now()}`
  const payers = Array.from({ length: count }, (_, place): Payer => {
    const mandate = mandates[place % mandates.length]
    return { url, secretKey, agent, name: `${batch}-${place}`, known: mandate === undefined ? {} : { mandate } }
  })
  const steps: Cost[] = []
  const startedAt = performance.now()
  for (const step of mandates.length === 0 ? PAYMENT_STEPS : [CHARGE_STEP]) {
    const before = await readUsed(watched)
    await inTurn(payers, atOnce, step)
    const { node, postgres } = usedSince(before, await readUsed(watched))
    steps.push({ name: step.name, node: node / count, postgres: postgres / count })
  }
  const seconds = (performance.now() - startedAt) / 1000
  agent.destroy()
  return { steps, perSecond: count / seconds }
})

async function inTurn(payers: readonly Payer[], atOnce: number, step: PaymentStep): Promise<void> {
  let next = 0
  const loop = async () => {
    for (let payer = payers[next++]; payer !== undefined; payer = payers[next++]) await step.run(payer)
  }
  await Promise.all(Array.from({ length: atOnce }, loop))
}

import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { linkedAgent, mandateOf, WIDE } from '../../test/agents.ts'
import { dbRow } from '../../test/flows.ts'
import type { Answer } from '../../test/service.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { newOwner } from '../mandates/testing/standing.ts'
import { open } from './open.ts'
import { charge, chargeable, outcomeOf } from './testing/charge.ts'

// Guarantee: a charge whose reference another one has taken since it was refused is not written: the caller is answered by the one that was made.

vi.mock(import('./open.ts'), { spy: true })
const { open: reallyOpen } = await vi.importActual<typeof import('./open.ts')>('./open.ts')

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())

/** Sends both: the second one when the first has been refused, and is not written yet. */
async function meanwhile(refused: () => Promise<Answer>, passes: () => Promise<Answer>): Promise<[Answer, Answer]> {
  let passed: Answer | undefined
  vi.mocked(open).mockImplementationOnce(async (...given) => {
    const opened = await reallyOpen(...given)
    expect(opened.state).toBe('over_limit')
    passed = await passes()
    return opened
  })
  const answer = await refused()
  if (passed === undefined) throw new Error('Nothing was refused.')
  return [answer, passed]
}

async function expectOne([answer, passed]: [Answer, Answer]) {
  expect(outcomeOf(passed)).toBe('awaiting_result')
  expect(answer.body).toMatchObject({ deduplicated: true, transactionId: passed.body.transactionId, amount: '1.00' })
  const { mandateId } = passed.body
  expect(await dbRow(service, 'select count(*)::int as made from charges where mandate_id = $1', [mandateId])).toEqual({
    made: 1,
  })
}

test('by its mandate', async () => {
  const id = await chargeable(service, await newOwner(service))
  const send = (amount: string) => charge(service.merchant, id, { amount, reference: 'r' })
  await expectOne(
    await meanwhile(
      () => send('1000.00'),
      () => send('1.00'),
    ),
  )
})

test('by what an owner allows an agent, who is not asked then', async () => {
  const agent = await linkedAgent(service, { limits: { ...WIDE, charge: '5.00' } })
  const id = await mandateOf(service, agent, { mandate_setup: { recurring_frequency: 'yearly' } })
  const send = (amount: string) => agent.send('POST', `/v1/mandates/${id}/charge`, { amount, reference: 'r' })
  await expectOne(
    await meanwhile(
      () => send('6.00'),
      () => send('1.00'),
    ),
  )
  expect(await dbRow(service, 'select count(*)::int as asked from escalations', [])).toEqual({ asked: 0 })
})

// Guarantee: a whole payment waits for the database so many times and not once more. Each wait costs the same whatever is
// asked, so the number of them, not the work, decides how many payments one database carries.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STATEMENTS } from '../src/db/statement.ts'
import type { SoftwareAuthenticator } from '../src/passkeys/software-authenticator.ts'
import { linkedAgent, mandateOf } from './agents.ts'
import { cardholder, launch, newAuthenticator } from './cardholder.ts'
import { CARDS, createSession, newUser, paymentResult, report } from './flows.ts'
import { type Answer, PATIENT, startTestService, type TestService } from './service.ts'
import { recordWaits, type Wait } from './waits.ts'

type Step =
  | 'launch'
  | 'card'
  | 'registration options'
  | 'registration'
  | 'approval options'
  | 'approval'
  | 'result'
  | 'report'

/** The service's own waits of each step, BEGIN and COMMIT among them. */
const MAX_OF_STEP: Readonly<Record<Step, number>> = {
  // A returning customer's cards are read, and the usual one is chosen.
  launch: 3,
  card: 2,
  'registration options': 1,
  registration: 2,
  'approval options': 2,
  approval: 3,
  result: 1,
  report: 3,
}
/** All of them in a whole journey, from the launch to the report. */
const MAX_OF_ALL = 13
const MAX_OF_NETWORK = 7
/** Not counted: points of a limit are fetched in blocks, and a key is looked up once a second, whatever is asked. */
const NOW_AND_THEN = new Set(['limits.take_points', 'merchants.find_key'])

let service: TestService
let recorder: ReturnType<typeof recordWaits>

beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
  recorder = recordWaits()
})
afterAll(async () => {
  recorder?.stop()
  await service?.close()
})

type Journey = Partial<Record<Step, Wait[]>>

/** The steps of one payment as the page takes them, each with its waits. */
async function pay(user: string, authenticator: SoftwareAuthenticator, isNew: boolean): Promise<Journey> {
  const { session_id: id, iframe_url } = await createSession(service.merchant, { user_id: user })
  const journey: Journey = {}
  const step = async (name: Step, work: Promise<Answer>): Promise<Answer['body']> => {
    recorder.take()
    const { status, body } = await work
    expect({ name, status, body }).toMatchObject({ status: 200 })
    journey[name] = recorder.take()
    return body
  }
  const { session_token, view } = await step('launch', launch(service, iframe_url))
  const page = cardholder(service, session_token, authenticator)
  const frame = { embedded: false }
  let options: Answer['body']
  if (isNew) {
    await step('card', page.enterCard(CARDS.success))
    const creation = await step('registration options', page.post('/api/passkeys/registration-options', { frame }))
    const response = authenticator.register(creation)
    const registered = await step('registration', page.post('/api/passkeys/registrations', { response, frame }))
    expect(registered.view.step).toBe('approval')
    options = registered.approval.options
  } else expect(view.step).toBe('approval')
  options ??= (await step('approval options', page.post('/api/approval-options', { frame }))).options
  const approved = await step(
    'approval',
    page.post('/api/approvals', { response: authenticator.authenticate(options) }),
  )
  expect(approved).toMatchObject({ step: 'done', outcome: 'approved' })
  const result = await step('result', paymentResult(service.merchant, id))
  const [item] = result.transactions[0].line_items
  expect(item.token).toMatch(/./)
  await step('report', report(service.merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' }))
  return journey
}

const named = (waits: readonly Wait[], ofNetwork: boolean) =>
  waits.filter((wait) => wait.ofNetwork === ofNetwork && !NOW_AND_THEN.has(wait.name)).map(({ name }) => name)

/** A failure names the waits, and shows how many were expected. */
function expectAtMost(journey: Journey): void {
  const tooMany = Object.entries(journey)
    .map(([step, waits]) => ({ step, most: MAX_OF_STEP[step as Step], waits: named(waits, false) }))
    .filter(({ most, waits }) => waits.length > most)
  expect(tooMany).toEqual([])
  const [own, ofNetwork] = [false, true].map((of) => named(Object.values(journey).flat(), of)) as [string[], string[]]
  expect(own.length, own.join('\n')).toBeLessThanOrEqual(MAX_OF_ALL)
  expect(ofNetwork.length, ofNetwork.join('\n')).toBeLessThanOrEqual(MAX_OF_NETWORK)
}

const JOURNEYS = 7

/** What a charge of an agent takes, in the order of locks. */
const TAKEN = 'transaction.begin, mandates.take, agents.take, escalations.find_asked, charges.insert_opened'

/** The waits of a setup: its creation is one statement, its approval three, as that of a payment; its result is asked for as a payment first. */
const MAX_OF_SETUP = { creation: 1, approval: 3, result: 2 } as const

/** A setup of a customer with a saved card: what its creation, its approval and its result wait for. */
async function allow(user: string, authenticator: SoftwareAuthenticator): Promise<Record<string, Wait[]>> {
  recorder.take()
  const { session_id, iframe_url } = await createSession(service.merchant, {
    user_id: user,
    mandate_setup: { recurring_frequency: 'monthly' },
  })
  const creation = recorder.take()
  const { session_token } = (await launch(service, iframe_url)).body
  const page = cardholder(service, session_token, authenticator)
  const { options } = (await page.post('/api/approval-options', { frame: { embedded: false } })).body
  const response = authenticator.authenticate(options)
  recorder.take()
  expect((await page.post('/api/approvals', { response })).body).toMatchObject({ outcome: 'approved' })
  const approval = recorder.take()
  expect((await paymentResult(service.merchant, session_id)).body.status).toBe('completed')
  return { creation, approval, result: recorder.take() }
}

describe('a payment waits so many times', () => {
  test('of a new customer with a new card and a new passkey', async () => {
    // The first opens connections.
    await pay(newUser(), newAuthenticator(service), true)
    for (let round = 0; round < JOURNEYS; round += 1) {
      expectAtMost(await pay(newUser(), newAuthenticator(service), true))
    }
  })

  test('of a returning customer with a saved card', async () => {
    const [user, authenticator] = [newUser(), newAuthenticator(service)]
    await pay(user, authenticator, true)
    for (let round = 0; round < JOURNEYS; round += 1) expectAtMost(await pay(user, authenticator, false))
  })

  test('of a returning customer who allows a standing mandate', async () => {
    const [user, authenticator] = [newUser(), newAuthenticator(service)]
    await pay(user, authenticator, true)
    await allow(user, authenticator)
    for (let round = 0; round < JOURNEYS; round += 1) {
      const waits = await allow(user, authenticator)
      const tooMany = Object.entries(MAX_OF_SETUP)
        .map(([step, most]) => ({ step, most, waits: named(waits[step] ?? [], false) }))
        .filter(({ most, waits }) => waits.length > most)
      expect(tooMany).toEqual([])
    }
  })

  test('of an agent that charges a mandate: once for its signature, twice for what is taken, and once for what was minted', async () => {
    const agent = await linkedAgent(service)
    const mandateId = await mandateOf(service, agent)
    const charge = (reference: string) =>
      agent.send('POST', `/v1/mandates/${mandateId}/charge`, { amount: '1.00', reference })
    await charge('first')
    const counted: string[][] = []
    for (let round = 0; round < JOURNEYS; round += 1) {
      recorder.take()
      expect((await charge(`order-${round}`)).body).toMatchObject({ status: 'awaiting_result' })
      counted.push(named(recorder.take(), false))
    }
    expect(counted).toEqual(
      counted.map(() => ['agents.authenticate', TAKEN, 'transaction.commit', 'charges.update_standing_minted']),
    )
  })

  // `synchronous_commit` is the whole transaction's: what need not wait for the disk would let go what has to.
  test('and what does not wait for the disk is never sent with what has to', async () => {
    const [user, authenticator] = [newUser(), newAuthenticator(service)]
    const journeys = [await pay(user, authenticator, true), await pay(user, authenticator, false)]
    const together = journeys
      .flatMap((journey) => Object.values(journey).flat())
      .flatMap(({ name }) => name.split('; ').map((names) => names.split(', ')))
    const writes = together.map((names) => names.map((name) => STATEMENTS.get(name)).filter((one) => one?.writes))
    const isMixed = writes.filter(
      (sent) => new Set(sent.map((one) => one?.text.includes('synchronous_commit'))).size > 1,
    )
    expect(isMixed.map((sent) => sent.map((one) => one?.name))).toEqual([])
    expect(writes.some((sent) => sent.length > 1)).toBe(true)
  })

  test('and no step is left out of the count', async () => {
    const journey = await pay(newUser(), newAuthenticator(service), true)
    expect(Object.entries(journey).filter(([, waits]) => waits.length === 0)).toEqual([])
    expect(named(Object.values(journey).flat(), true).join(' ')).toContain('simnet')
  })
})

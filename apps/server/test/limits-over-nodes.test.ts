// Guarantee: the limits of enrollments, of their status and of vault records count the calls of all nodes together, and every
// response says how it stands, in the fields of the contract.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { atOnce, countBy, createEnrollment, enroll, enrollmentStatus, expectError, newUser } from './flows.ts'
import { type Answer, call, jsonRequest, startTestService, type TestMerchant, type TestService } from './service.ts'

const POINTS = 20
const env = {
  RATE_LIMIT_ENROLLMENT: String(POINTS),
  RATE_LIMIT_ENROLLMENT_STATUS: String(POINTS),
  RATE_LIMIT_VAULT_ENTRY: String(POINTS),
}
/** More than a limit, so that each of two nodes alone would pass it. */
const CALLS = 3 * POINTS

let service: TestService
let node: TestService
beforeAll(async () => {
  service = await startTestService({ env, isForCrowds: true })
  node = await startTestService({ env, database: service.database, isForCrowds: true })
})
afterAll(async () => {
  await node?.close()
  await service?.close()
})

/** A merchant of its own, at both nodes: no other test uses up its limits. */
async function atBoth(): Promise<[TestMerchant, TestMerchant]> {
  const merchant = await service.addMerchant()
  const authorization = `Bearer ${merchant.secretKey}`
  const there = (path: string, init: RequestInit) => call(node.apiUrl + path, init)
  return [
    merchant,
    {
      ...merchant,
      get: (path) => there(path, { headers: { authorization } }),
      post: (path, body) => there(path, jsonRequest(authorization, body)),
    },
  ]
}

/** As many pass as the limit allows, whichever node was asked; the others are told when to come again. */
function expectLimited(answers: Answer[], passing: number): void {
  const counts = countBy(answers, ({ status }) => status)
  expect(counts).toEqual({ [passing]: POINTS, 429: CALLS - POINTS })
  for (const answer of answers) {
    expect(answer.headers.get('ratelimit')).toMatch(/;r=\d+;t=\d+/)
    expect(answer.headers.get('ratelimit-policy')).toMatch(/;q=20;w=60/)
    if (answer.status !== 429) continue
    expectError(answer, 429, 'RATE_LIMITED')
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  }
}

const CARD = { card_number: '4242424242424242', expiry_month: '12', expiry_year: '2040' }

test('enrollments that are begun, of both modes', async () => {
  const nodes = await atBoth()
  const answers = await atOnce(CALLS, (index) =>
    enroll(nodes[index % 2] ?? nodes[0], { enrollment_mode: 'full_enrollment', user_id: newUser() }),
  )
  expectLimited(answers, 201)
  const alone = await enroll(nodes[1], { vault_ref_id: '5f0c1d9e-0a53-4c36-9d1c-0e6f5d7b2a41' })
  expectError(alone, 429, 'RATE_LIMITED')
  // Another merchant's are counted apart.
  await createEnrollment((await atBoth())[1])
})

test('reads of one status', async () => {
  const nodes = await atBoth()
  const [one, other] = [await createEnrollment(nodes[0]), await createEnrollment(nodes[1])]
  const answers = await atOnce(CALLS, (index) => enrollmentStatus(nodes[index % 2] ?? nodes[0], one.session_id))
  expectLimited(answers, 200)
  expect((await enrollmentStatus(nodes[1], other.session_id)).status).toBe(200)
})

test('cards that are put in the vault', async () => {
  const nodes = await atBoth()
  const answers = await atOnce(CALLS, (index) => (nodes[index % 2] ?? nodes[0]).post('/v1/vault/records', CARD))
  expectLimited(answers, 201)
})

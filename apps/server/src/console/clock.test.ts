// Guarantee: a developer at the console of a sandbox moves its time as the test helper of the API does, within its
// bounds, each press once; who may less reads it, and stays signed in when it moves.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoAccount, signInToConsole, type TestPerson } from '../../test/console.ts'
import { expectInvalid } from '../../test/flows.ts'
import { startTestService, type TestService } from '../../test/service.ts'

const PATH = '/api/sandbox/clock'
const DAY = 24 * 60 * 60
let service: TestService
let person: TestPerson
beforeAll(async () => {
  service = await startTestService()
  await demoAccount(service)
  person = await signInToConsole(service)
})
afterAll(() => service?.close())

const told = async () => Date.parse((await person.get(PATH)).body.now)
/** What runs by itself meanwhile is less. */
const MINUTE = 60_000

test('says the time of the sandbox, and moves it for everybody', async () => {
  const before = await told()
  const { status, body } = await person.post(PATH, { seconds: 2 * DAY })
  expect(status).toBe(200)
  expect(Date.parse(body.now) - before - 2 * DAY * 1000).toBeLessThan(MINUTE)
  expect(Date.parse(body.now) - before).toBeGreaterThanOrEqual(2 * DAY * 1000)
  expect(await told()).toBeGreaterThanOrEqual(Date.parse(body.now))
  expect(service.clock.now().getTime()).toBeGreaterThanOrEqual(Date.parse(body.now))
})

test('counts each of many presses at the same moment', async () => {
  const before = await told()
  const answers = await Promise.all(Array.from({ length: 8 }, () => person.post(PATH, { seconds: 900 })))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const moved = (await told()) - before - 8 * 900_000
  expect(moved).toBeGreaterThanOrEqual(0)
  expect(moved).toBeLessThan(MINUTE)
})

test.each([0, -900, 1.5, 315_360_001, '900'])('never moves it by %j', async (seconds) => {
  expectInvalid(await person.post(PATH, { seconds }), 'seconds')
})

test('moves nothing past the end of time', async () => {
  for (let decade = 0; decade < 18; decade += 1) await person.post(PATH, { seconds: 315_360_000 })
  const before = await told()
  expectInvalid(await person.post(PATH, { seconds: 315_360_000 }), 'seconds')
  expect((await told()) - before).toBeLessThan(MINUTE)
})

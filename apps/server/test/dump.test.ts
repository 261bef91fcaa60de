// Guarantee: a database that comes back from a dump, and on which `events restored` was run, lets no caller in until an operator opens it, and
// the one that was dumped goes on as it was (faults K2).
import { afterAll, beforeAll, expect, test } from 'vitest'
import { approve, outcomeOf, prepareApproval } from './crash/stage.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { restoredCopy } from './dump.ts'
import {
  type Caller,
  callerOf,
  freePorts,
  note,
  type Program,
  readDevFile,
  runProgram,
  startProgram,
  temporaryHome,
} from './processes/program.ts'

let original: TestDatabase
let copy: TestDatabase
let home: string
let port: number
/** A payment whose credential was not spent yet when the dump was made. */
let waiting: string
beforeAll(async () => {
  original = await createTestDatabase()
  home = await temporaryHome()
  port = await freePorts()
  const { program, merchant } = start(original)
  await program.ready()
  const caller = await merchant()
  waiting = await prepareApproval(caller, 'waiting')
  await approve(caller, waiting)
  expect((await outcomeOf(caller, waiting)).status).toBe('awaiting_result')
  await program.stop()
  const made = await restoredCopy(original)
  copy = made.copy
  note(`Restored by ${made.by}`)
})
afterAll(async () => {
  await copy?.close()
  await original?.close()
})

function start({ url }: TestDatabase): { program: Program; merchant(): Promise<Caller> } {
  const program = startProgram(['all'], { home, port, env: { DATABASE_URL: url } })
  return { program, merchant: async () => callerOf(program.apiUrl, (await readDevFile(home)).secret_key) }
}

const verb = async (...words: string[]) => {
  const { code, output } = await runProgram(words, { home, env: { DATABASE_URL: copy.url, LOG_LEVEL: 'silent' } })
  expect({ words, code, output }).toMatchObject({ code: 0 })
  return JSON.parse(output)
}

test('closed for callers until it is opened, and nothing of it in the original', async () => {
  await verb('events', 'restored')
  expect(await verb('restored', 'show')).toMatchObject({ state: 'closed', is_listed: false })
  const { program, merchant } = start(copy)
  const caller = await merchant()
  const statusOf = (path: string) => caller.get(path).then(({ status }) => status)
  await expect.poll(() => statusOf('/health').catch(() => 0)).toBe(200)
  expect(await caller.get('/v1/mandates')).toMatchObject({
    status: 503,
    body: { error: { code: 'SERVICE_UNAVAILABLE', message: expect.stringMatching(/restored from a backup/) } },
  })
  expect(await statusOf('/ready')).toBe(503)
  await expect
    .poll(() => verb('restored', 'show'))
    .toMatchObject({ state: 'closed', is_listed: true, unanswered: 0, followed: [{ kind: 'charge' }] })
  expect(await statusOf('/v1/mandates')).toBe(503)

  expect(await verb('restored', 'open')).toMatchObject({ state: 'open', opened: true })
  await expect.poll(() => statusOf('/ready')).toBe(200)
  expect(await statusOf('/v1/mandates')).toBe(200)
  // Its credential was ended at the network: the service does not know who holds it.
  expect((await outcomeOf(caller, waiting)).status).toBe('failed')
  await program.stop()

  const untouched = start(original)
  await untouched.program.ready()
  expect((await outcomeOf(await untouched.merchant(), waiting)).status).toBe('awaiting_result')
  await untouched.program.stop()
})

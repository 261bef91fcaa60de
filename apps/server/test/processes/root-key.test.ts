// Guarantee: no process works on a database with another root key than its own, and no lost file makes a key worthless.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { sessionBody } from '../service.ts'
import { callerOf, freePorts, readDevFile, runProgram, temporaryHome } from './program.ts'
import { runRole, runVerb } from './verb.ts'

let database: TestDatabase
let home: string
let env: Record<string, string>
let port: number
/** What the first start handed out. */
let firstKey: string
beforeAll(async () => {
  database = await createTestDatabase()
  home = await temporaryHome()
  port = await freePorts()
  env = { DATABASE_URL: database.url }
  const program = await runRole('all', { home, port, env })
  firstKey = (await readDevFile(home)).secret_key
  await program.stop()
}, 60_000)
afterAll(() => database?.close())

const keyFile = () => join(home, 'keys', 'root.key')
const devFile = () => join(home, 'dev.json')

const VERBS = [['all'], ['serve'], ['worker'], ['migrate'], ['merchant', 'list']]
/** The first as the program that an operator starts, the others in the process of the test. */
const run = (words: string[]) => (words === VERBS[0] ? runProgram : runVerb)(words, { home, port, env })

test('another root key: every role and verb says so in one line, and changes nothing', {
  timeout: 120_000,
}, async () => {
  const [dev, keys] = [await readFile(devFile()), await database.pool.query('select id, revoked_at from api_keys')]
  await rename(keyFile(), `${keyFile()}.right`)
  await writeFile(keyFile(), Buffer.alloc(32, 1), { mode: 0o600 })
  for (const words of VERBS) {
    const { code, output } = await run(words)
    expect({ words, code }).toEqual({ words, code: 1 })
    expect(output).toMatch(
      /^mintmark: The root key in MINTMARK_HOME \(.+root\.key\) is not the one this database was made /,
    )
    expect(output).toContain('ROOT_KEY_FILE')
  }
  const named = await runVerb(['migrate'], { home, port, env: { ...env, ROOT_KEY_FILE: keyFile() } })
  expect(named.output).toMatch(/^mintmark: The root key of ROOT_KEY_FILE /)
  expect(await readFile(devFile())).toEqual(dev)
  expect((await database.pool.query('select id, revoked_at from api_keys')).rows).toEqual(keys.rows)
  await rename(`${keyFile()}.right`, keyFile())
})

test('a lost root key: none is made beside a database with data', { timeout: 60_000 }, async () => {
  await rename(keyFile(), `${keyFile()}.right`)
  for (const words of [['all'], ['merchant', 'list']]) {
    const { code, output } = await runVerb(words, { home, port, env })
    expect(code).toBe(1)
    expect(output).toMatch(/^mintmark: The root key file .+ is missing\. .+ROOT_KEY_FILE.+\n$/)
  }
  await expect(readFile(keyFile())).rejects.toThrow('ENOENT')
  // Nor beside one whose check value was lost.
  await database.pool.query('delete from root_key_check')
  expect((await runProgram(['all'], { home, port, env })).code).toBe(1)
  await rename(`${keyFile()}.right`, keyFile())
  expect((await runVerb(['migrate'], { home, port, env })).code).toBe(0)
  expect((await database.pool.query('select 1 from root_key_check')).rowCount).toBe(1)
})

test.each([
  ['removed', null],
  ['empty', ''],
  ['cut', '{ "merchant_id": "ma_'],
  ['of another deployment', '{ "merchant_id": "ma_other", "secret_key": "sk_test_other" }'],
])(
  'dev.json is %s: keys are added, none is revoked, and the start says so',
  { timeout: 60_000 },
  async (_what, text) => {
    await rm(devFile())
    if (text !== null) await writeFile(devFile(), text)
    const program = await runRole('all', { home, port, env })
    const { secret_key } = await readDevFile(home)
    for (const key of [firstKey, secret_key]) {
      expect((await callerOf(program.apiUrl, key).post('/v1/sessions', sessionBody())).status).toBe(201)
    }
    expect(secret_key).not.toBe(firstKey)
    await program.stop()
    expect(program.output()).toContain('The earlier keys go on working')
    // Its keys may be stored nowhere else.
    if (text) expect(await readFile(`${devFile()}.old`, 'utf8')).toBe(text)
  },
)

test('a home that is used with one database and then with another has the keys of each', {
  timeout: 90_000,
}, async () => {
  const other = await createTestDatabase()
  try {
    const keysIn = async (url: string) => {
      const program = await runRole('all', { home, port, env: { DATABASE_URL: url } })
      const { secret_key } = await readDevFile(home)
      expect((await callerOf(program.apiUrl, secret_key).post('/v1/sessions', sessionBody())).status).toBe(201)
      await program.stop()
      return { secret_key, added: program.output().includes('The earlier keys go on working') }
    }
    const before = (await readDevFile(home)).secret_key
    const theirs = await keysIn(other.url)
    expect(theirs.secret_key).not.toBe(before)
    expect(await keysIn(database.url)).toEqual({ secret_key: before, added: false })
    expect(await keysIn(other.url)).toEqual({ ...theirs, added: false })
    expect(await keysIn(database.url)).toEqual({ secret_key: before, added: false })
  } finally {
    await other.close()
  }
})

test('dev.json is a directory: said in one line, and no keys are made that could not be kept', async () => {
  const count = async () => (await database.pool.query('select 1 from api_keys')).rowCount
  const before = await count()
  await rm(devFile())
  await mkdir(devFile())
  const { code, output } = await runVerb(['all'], { home, port, env })
  expect(code).toBe(1)
  expect(output).toMatch(/^mintmark: Cannot write .+dev\.json \(it is a directory\): .+MINTMARK_HOME.+\n$/)
  expect(await count()).toBe(before)
  await rm(devFile(), { recursive: true })
})

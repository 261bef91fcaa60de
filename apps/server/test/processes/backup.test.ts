// Guarantee: a backup that is made while payments run brings back everything that was acknowledged before it began; what cannot be
// restored is refused with advice, and changes nothing.
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sendSignal } from '@mintmark/embedded-postgres/processes'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approve, outcomeOf, prepareApproval } from '../crash/stage.ts'
import { type Answer, sessionBody } from '../service.ts'
import {
  type Caller,
  callerOf,
  databaseProcesses,
  freePorts,
  note,
  type Program,
  preparedHome,
  readDevFile,
  runProgram,
  startProgram,
  temporaryHome,
} from './program.ts'

let folder: string
let home: string
let port: number
let program: Program
let merchant: Caller
let secretKey: string
/** A payment whose credential was not spent yet, and a standing mandate with its card. */
let waiting: { id: string }
let mandateId: string

const file = (name: string) => join(folder, name)
const QUIET = { LOG_LEVEL: 'silent' }
const KEYS = () => ['--passphrase-file', file('passphrase')]
const backup = (to: string, ...more: string[]) => runProgram(['backup', '--to', file(to), ...more], { home })
const restore = (into: string, from: string, ...more: string[]) =>
  runProgram(['restore', '--from', file(from), ...more], { home: into })

async function setUpMandate(caller: Caller): Promise<string> {
  const mandate_setup = { recurring_frequency: 'monthly', max_charges: 5 }
  const created = await caller.post('/v1/sessions', sessionBody({ user_id: 'standing', mandate_setup }))
  const done = await caller.post(`/v1/test_helpers/sessions/${created.body.session_id}/complete`, {})
  expect(done.status).toBe(200)
  const { mandates } = (await caller.get('/v1/mandates?standing_only=true')).body
  return mandates[0].mandateId ?? mandates[0].id
}

/** It responds, and may let no caller in. */
const alive = () =>
  expect
    .poll(() =>
      fetch(`${program.apiUrl}/health`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)

/** The card on file pays, without its owner. */
const chargeStored = (caller: Caller, reference: string): Promise<Answer> =>
  caller.post(`/v1/mandates/${mandateId}/charge`, { amount: '12.00', reference })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mintmark-backup-'))
  await writeFile(file('passphrase'), 'a long enough passphrase\n')
  home = await preparedHome()
  port = await freePorts()
  program = startProgram(['all'], { home, port })
  await program.ready()
  secretKey = (await readDevFile(home)).secret_key
  merchant = callerOf(program.apiUrl, secretKey)
  mandateId = await setUpMandate(merchant)
  expect((await chargeStored(merchant, 'before')).status).toBe(200)
  const id = await prepareApproval(merchant, 'waiting')
  await approve(merchant, id)
  expect((await outcomeOf(merchant, id)).status).toBe('awaiting_result')
  waiting = { id }
})
afterAll(async () => {
  await program?.stop()
  await rm(folder, { recursive: true })
})

test('backed up under payments, destroyed, restored: a stored card is charged', async () => {
  const read = async (cursor: string) => (await merchant.get(`/v1/events?limit=1&cursor=${cursor}`)).body
  await expect.poll(async () => (await read('0')).next_cursor).not.toBeNull()
  const first = await read('0')
  const second = await read(first.next_cursor)
  // A key file of its own, so that more than the root key has to come back.
  const added = JSON.parse((await runProgram(['keys', 'add', 'local'], { home, env: { LOG_LEVEL: 'silent' } })).output)
  let isOver = false
  const acknowledged: string[] = []
  const paying = (async () => {
    for (let count = 1; !isOver; count += 1) {
      const id = await prepareApproval(merchant, `during-${count}`)
      await approve(merchant, id)
      expect((await outcomeOf(merchant, id)).status).toBe('awaiting_result')
      acknowledged.push(id)
    }
  })()
  while (acknowledged.length < 2) await new Promise((resolve) => setTimeout(resolve, 50))
  const before = [...acknowledged]
  const startedAt = performance.now()
  const made = await backup('shop.backup', '--keys-to', file('shop.keys'), ...KEYS())
  note(`Backup under payments: ${Math.round(performance.now() - startedAt)} ms, ${made.output.trim()}`)
  isOver = true
  await paying
  expect(made).toMatchObject({
    code: 0,
    output: expect.stringMatching(/shop\.backup: \d+ rows of \d+ tables.*\n.*2 keys/),
  })

  await program.stop('SIGKILL')
  // Its children see that it is gone, and end by themselves: between the list and the signal, too.
  for (const pid of await databaseProcesses(home)) sendSignal(pid, 'SIGKILL')
  await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })

  const restored = await restore(home, 'shop.backup', '--keys-from', file('shop.keys'), ...KEYS())
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('Start the service') })
  expect((await readdir(join(home, 'keys'))).sort()).toEqual([`kek-${added.id.slice(6)}.key`, 'root.key'])
  expect(existsSync(`${home}.restoring`)).toBe(false)
  program = startProgram(['all'], { home, port })
  await alive()

  // No caller is let in before the network has been asked about all that was open.
  expect(await chargeStored(merchant, 'early')).toMatchObject({
    status: 503,
    body: { error: { code: 'SERVICE_UNAVAILABLE' } },
  })
  const show = async () => JSON.parse((await runProgram(['restored', 'show'], { home, env: QUIET })).output)
  await expect.poll(show).toMatchObject({ state: 'closed', is_listed: true, unanswered: 0 })
  // It stays closed over a death.
  await program.stop('SIGKILL')
  program = startProgram(['all'], { home, port })
  await alive()
  expect((await merchant.get('/v1/mandates')).status).toBe(503)
  const opened = await runProgram(['restored', 'open'], { home, env: QUIET })
  expect(JSON.parse(opened.output)).toMatchObject({ state: 'open', opened: true, customers: { erased: 0, absent: 0 } })
  await expect.poll(async () => (await merchant.get('/ready')).status).toBe(200)

  // The merchant's key and the card on file: from before. What was minted and not used has ended at the network.
  expect(await chargeStored(merchant, 'after')).toMatchObject({
    status: 200,
    body: { deduplicated: false, status: 'awaiting_result', credentials: { token: expect.any(String) } },
  })
  expect((await chargeStored(merchant, 'after')).body).toMatchObject({ deduplicated: true })
  for (const id of [waiting.id, ...before]) expect((await outcomeOf(merchant, id)).status).toBe('failed')
  // A reader of the feed goes on with the cursor from before.
  expect((await read('0')).data).toEqual(first.data)
  expect((await read(first.next_cursor)).data).toEqual(second.data)
  // What the backup caught in the middle was ended, or was never there.
  for (const id of acknowledged.slice(before.length)) {
    const { status, body } = await merchant.get(`/v1/sessions/${id}/payment-result`)
    expect([200, 404]).toContain(status)
    if (status === 200) expect(body.status).not.toBe('awaiting_result')
  }
  const id = await prepareApproval(merchant, 'afterwards')
  await approve(merchant, id)
  expect((await outcomeOf(merchant, id)).status).toBe('awaiting_result')
  expect((await runProgram(['keys', 'rotate', added.id], { home })).code).toBe(0)
})

test('a stopped home is backed up too; nothing in the file is readable', async () => {
  await program.stop()
  // The stop has written when keys were last used.
  const { merchant_id } = await readDevFile(home)
  const listed = JSON.parse((await runProgram(['key', 'list', merchant_id], { home, env: QUIET })).output)
  const used = listed.find(({ id }: { id: string }) => id === secretKey.slice(8, 24))
  expect(used.last_used_at ?? used.lastUsedAt).toMatch(/^20\d\d-/)
  expect(await backup('stopped.backup')).toMatchObject({
    code: 0,
    output: expect.stringContaining('The keys are not in it'),
  })
  const bytes = await readFile(file('stopped.backup'))
  for (const text of ['vault_records', 'ann@example.com', 'Tea House', waiting.id])
    expect(bytes.includes(text)).toBe(false)
  expect(await databaseProcesses(home)).toEqual([])
})

describe('refused with advice, and nothing changes', () => {
  let target: string
  beforeAll(async () => {
    target = await temporaryHome()
    if (!existsSync(file('stopped.backup'))) await backup('stopped.backup')
  })

  const refused = async (words: RegExp, from: string, ...more: string[]) => {
    const { code, output } = await restore(target, from, ...more)
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(words) })
    expect(existsSync(target)).toBe(false)
    expect(existsSync(`${target}.restoring`)).toBe(false)
  }
  const keys = () => ['--keys-from', file('shop.keys'), ...KEYS()]

  test('keys that cannot be written are said before the backup is, so that the next try finds its name free', async () => {
    await writeFile(file('short'), 'short')
    for (const [keysTo, passphrase, words] of [
      [file('new.keys'), file('short'), /at least 16 characters/],
      [file('new.keys'), file('none'), /passphrase file .+ cannot be read/],
      [file('shop.keys'), file('passphrase'), /shop\.keys cannot be made: it exists/],
      [join(file('none'), 'new.keys'), file('passphrase'), /cannot be made: .+ its directory does not/],
    ] as const) {
      const { code, output } = await backup('again.backup', '--keys-to', keysTo, '--passphrase-file', passphrase)
      expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(words) })
      expect(existsSync(file('again.backup'))).toBe(false)
    }
  })

  test('no keys, the wrong keys, the wrong passphrase', async () => {
    await refused(/^mintmark: Name the keys of the backup: --keys-from/, 'shop.backup')
    await refused(/passphrase-file is missing/, 'shop.backup', '--keys-from', file('shop.keys'))
    await writeFile(file('other'), 'another long passphrase')
    await refused(
      /does not open: the passphrase is another one/,
      'shop.backup',
      '--keys-from',
      file('shop.keys'),
      '--passphrase-file',
      file('other'),
    )
    await writeFile(file('short'), 'short')
    await refused(
      /at least 16 characters/,
      'shop.backup',
      '--keys-from',
      file('shop.keys'),
      '--passphrase-file',
      file('short'),
    )
    await writeFile(file('wrong.key'), Buffer.alloc(32, 3), { mode: 0o600 })
    const env = { ROOT_KEY_FILE: file('wrong.key') }
    const { code, output } = await runProgram(['restore', '--from', file('shop.backup')], { home: target, env })
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringMatching(/made with another root key\. Name the keys/),
    })
    expect(existsSync(target)).toBe(false)
  })

  test('a file that is cut, changed, something else or not there', async () => {
    const { length } = await readFile(file('shop.backup'))
    for (const size of [10, 60, 100, Math.floor(length / 2), length - 1]) {
      await cp(file('shop.backup'), file('cut.backup'))
      await truncate(file('cut.backup'), size)
      await refused(
        /ends too early: it was cut off\. Use another copy|is no backup of Mintmark/,
        'cut.backup',
        ...keys(),
      )
    }
    const changed = await readFile(file('shop.backup'))
    const at = Math.floor(length / 2)
    changed[at] = (changed[at] ?? 0) ^ 1
    await writeFile(file('changed.backup'), changed)
    await refused(/is damaged, or was changed after it was made/, 'changed.backup', ...keys())
    await refused(/is no backup of Mintmark/, 'shop.keys', ...keys())
    await refused(/cannot be read \(ENOENT\)/, 'nothing.backup', ...keys())
  })

  test('a place where no home can be made is said before anything is read', async () => {
    await writeFile(file('a file'), '')
    for (const [place, words] of [
      [
        join(file('a file'), 'home'),
        /^mintmark: The home is made beside its place, .+ \(ENOTDIR\)\. Let this user write to .+ MINTMARK_HOME\.\n$/,
      ],
      ['/proc', /^mintmark: MINTMARK_HOME \/proc is where something is mounted, .+ below it\.\n$/],
    ] as const) {
      const { code, output } = await restore(place, 'nothing.backup', ...keys())
      expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(words) })
    }
  })

  test('a home that is not empty, a database of one’s own, a file that exists', async () => {
    const before = await readdir(home)
    const { code, output } = await restore(home, 'shop.backup', ...keys())
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringContaining('is not empty, and restore replaces nothing'),
    })
    expect(await readdir(home)).toEqual(before)
    const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }
    for (const words of [
      ['backup', '--to', file('x')],
      ['restore', '--from', file('shop.backup')],
    ]) {
      expect((await runProgram(words, { home: target, env })).output).toMatch(/embedded database/)
    }
    const size = (await readFile(file('shop.backup'))).length
    expect((await backup('shop.backup')).output).toContain('exists already. Choose another name')
    expect((await readFile(file('shop.backup'))).length).toBe(size)
    expect((await runProgram(['backup'], { home })).output).toContain('--to is missing')
  })
})

test('killed at any time, a restore leaves no home or a whole one', async () => {
  const target = await temporaryHome()
  await mkdir(target)
  const words = ['restore', '--from', file('shop.backup'), '--keys-from', file('shop.keys'), ...KEYS()]
  const whole = startProgram(words, { home: await temporaryHome() })
  const startedAt = performance.now()
  expect((await whole.ended).code).toBe(0)
  const millis = performance.now() - startedAt
  for (const share of [0.5, 0.85]) {
    const killed = startProgram(words, { home: target })
    await new Promise((resolve) => setTimeout(resolve, millis * share))
    const { code } = await killed.stop('SIGKILL')
    // It may have been whole already when it died.
    if (code === 0 || (await readdir(target)).length > 0) break
  }
  if ((await readdir(target)).length === 0) expect((await runProgram(words, { home: target })).code).toBe(0)
  expect(existsSync(`${target}.restoring`)).toBe(false)
  expect((await runProgram(['merchant', 'list'], { home: target })).output).toContain('Demo Shop')
})

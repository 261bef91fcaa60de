import { createHash, randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { keepLog } from '../../test/logged.ts'
import { openKeys } from '../compose/keys.ts'
import { readConfig } from '../config.ts'
import { NO_EVENTS } from '../db/testing/no-events.ts'
import { KeyProviderUnavailable } from '../platform/key-provider.ts'
import { deriveKeys } from '../platform/keys.ts'
import { createLog } from '../platform/log.ts'
import { scrub } from '../platform/log-scrub.ts'
import { createRowSeals, RowTampered } from '../platform/row-seals.ts'
import { secret } from '../platform/secret.ts'
import { describeKeyProvider } from '../platform/testing/key-provider.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { createFileKey, createFileKeyProvider, fileOfKey } from './key-files.ts'
import { proveKeys, startKeyNode } from './node.ts'
import { createKeyService } from './service.ts'

// Guarantee: every process opens what any key of the deployment wrapped, whenever it began, and no edited row chooses the key.

const rootKey = secret(randomBytes(32))
const context = Buffer.from('context')
const log = createLog({ level: 'silent' })
const { log: keptLog, lines } = keepLog('warn')
let database: TestDatabase
let pool: Pool
let folder: string
let rootKeyFile: string

beforeAll(async () => {
  database = await createTestDatabase()
  pool = database.pool
  folder = await mkdtemp(join(tmpdir(), 'mintmark-ring-'))
  rootKeyFile = join(folder, 'root.key')
})
afterAll(async () => {
  await database?.close()
  await rm(folder, { recursive: true })
})

const open = (file = rootKeyFile) =>
  openKeys({ config: readConfig({}), pool, log: keptLog, rootKey, rootKeyFile: file })
const seals = () => createRowSeals({ key: deriveKeys(rootKey).rowSeals, log })

async function serviceOf(keys?: Awaited<ReturnType<typeof open>>) {
  return createKeyService({
    pool,
    clock: new ManualClock(new Date()),
    events: NO_EVENTS,
    seals: seals(),
    log,
    ...(keys ?? (await open())),
  })
}

describeKeyProvider('key ring', async () => (await open()).ring)
describeKeyProvider('key file', async () => {
  const { keyId } = await createFileKey(rootKeyFile)
  return createFileKeyProvider(rootKeyFile, keyId)
})

test('a key whose id the log would take for a card number is not taken', async () => {
  const draws = ['key 1948', 'another'].map((text) => createHash('sha256').update(text).digest())
  const directory = await mkdtemp(join(tmpdir(), 'mintmark-ids-'))
  const file = join(directory, 'root.key')
  const { keyId } = await createFileKey(file, () => draws.shift() ?? randomBytes(32))
  expect({ left: draws, scrubbed: scrub(keyId) }).toEqual({ left: [], scrubbed: keyId })
  // Only the one that was taken has a file.
  expect(await readdir(directory)).toEqual([`kek-${keyId.replace('local:', '')}.key`])
  await rm(directory, { recursive: true })
})

test('a process that never heard of a new key opens what it wrapped, and goes on wrapping', async () => {
  const before = await open()
  const service = await serviceOf()
  const { id } = await service.addKey('local')
  await service.rotateKey(id)
  const rotated = await open()
  const dataKey = randomBytes(32)
  const fresh = await rotated.ring.wrap(dataKey, context)
  expect(fresh.keyId).toBe(id)
  // Also when its reading is young, and when many ask.
  await before.ring.refresh()
  const { id: newer } = await service.addKey('local')
  await service.rotateKey(newer)
  const newest = await (await open()).ring.wrap(dataKey, context)
  const asked = Array.from({ length: 20 }, () => before.ring.unwrap(newest.keyId, newest.wrapped, context))
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 20 }, () => dataKey))
  await service.rotateKey(id)
  await service.retireKey(newer, [])
  await before.ring.refresh()
  expect(await before.ring.unwrap(fresh.keyId, fresh.wrapped, context)).toEqual(dataKey)
  expect(before.ring.currentKeyId).toBe(id)
  await service.rotateKey('local:1')
  expect(await service.rotateKey('local:1')).toEqual({ id: 'local:1', moved: false })
  await service.retireKey(id, [])
  await expect((await open()).ring.unwrap(fresh.keyId, fresh.wrapped, context)).rejects.toThrow('No such')
})

test.each([
  ['another key made current', `update key_encryption_keys set state = 'former' where id = 'local:1'`],
  ['a key made up', `insert into key_encryption_keys values ('local:0123456789abcdef', 'added', '', '', now())`],
  ['a probe exchanged', `update key_encryption_keys set probe = 'x' where id <> 'local:1'`],
])('%s in the database: an alarm, and the keys stay as they were known', async (_what, edit) => {
  const service = await serviceOf()
  const { id } = await service.addKey('local')
  const keys = await open()
  const client = await pool.connect()
  try {
    await client.query('create table kept as select * from key_encryption_keys')
    await client.query(edit)
    lines.length = 0
    await expect(keys.ring.refresh()).rejects.toThrow(RowTampered)
    expect(lines.join()).toContain('row_tampered')
    expect(keys.ring.currentKeyId).toBe('local:1')
    await expect(service.rotateKey(id)).rejects.toThrow(RowTampered)
  } finally {
    await client.query('delete from key_encryption_keys; insert into key_encryption_keys select * from kept')
    await client.query('drop table kept')
    client.release()
  }
  await service.retireKey(id, [])
})

test('a key becomes current when every running process has proven to reach it', async () => {
  const service = await serviceOf()
  const elsewhere = join(folder, 'other-machine', 'root.key')
  const keys = await open(elsewhere)
  const node = startKeyNode({ pool, ring: keys.ring, log })
  const { id } = await service.addKey('local')
  await node.report()
  await expect(service.rotateKey(id)).rejects.toThrow(/have not proven to reach local:[0-9a-f]{16} yet: .+:\d+\./)
  await expect(service.rotateKey(`${id}0`)).rejects.toThrow(
    /^There is no key local:[0-9a-f]{16}0\. keys add makes one known\.$/,
  )
  expect((await service.describeKeys([])).processes).toMatchObject([{ reaches: ['local:1'], wraps_with: 'local:1' }])

  // Unused yet: a process that starts now needs it not.
  await proveKeys({ ring: keys.ring, log })
  const file = fileOfKey(elsewhere, id)
  // As any key there: it makes the directory.
  await createFileKey(elsewhere)
  await writeFile(file, await readFile(fileOfKey(rootKeyFile, id)), { mode: 0o600 })
  await node.report()
  await service.rotateKey(id)

  // Its own reading is from before the rotation.
  await expect(service.retireKey('local:1', [])).rejects.toThrow('still wrap with local:1')
  await node.report()
  await service.retireKey('local:1', [{ ...NOTHING, list: async () => [] }])
  await expect(service.addKey('local:1')).resolves.toEqual({ id: 'local:1' })
  await node.report()
  await service.rotateKey('local:1')
  await node.stop()
  expect((await service.describeKeys([])).processes).toEqual([])
  await service.retireKey(id, [])
})

test('a key that was made current while it was retired stays, and nobody is told that it went', async () => {
  const service = await serviceOf()
  const { id } = await service.addKey('local')
  lines.length = 0
  const list = async () => {
    await service.rotateKey(id)
    return []
  }
  await expect(service.retireKey(id, [{ ...NOTHING, list }])).rejects.toThrow(
    `${id} was made current, or retired, meanwhile`,
  )
  expect(lines.join()).not.toContain('key_retired')
  await service.rotateKey('local:1')
  expect(await service.retireKey(id, [])).toEqual({ retired: true })
})

const NOTHING = {
  name: 'nothing',
  count: async () => 0,
  cellOf: () => ({ table: '', merchantId: '', id: '', field: '' }),
  update: async () => undefined,
}

test('a process whose key file is missing, open to others or another one does not start', async () => {
  const service = await serviceOf()
  const { id, file = '' } = await service.addKey('local')
  await service.rotateKey(id)
  const start = async () => proveKeys({ ring: (await open()).ring, log })
  await start()
  await chmod(file, 0o644)
  await expect(start()).rejects.toThrow('is open to other users')
  await chmod(file, 0o600)
  await rename(file, `${file}.away`)
  await expect(start()).rejects.toThrow(`The key file ${file} is missing. Copy it`)
  await writeFile(file, randomBytes(32), { mode: 0o600 })
  await expect(start()).rejects.toThrow(`The key file ${file} holds another key.`)
  // What it wrapped is not broken: the file can be put right.
  const { ring } = await open()
  await expect(ring.wrap(randomBytes(32), context)).rejects.toThrow(KeyProviderUnavailable)
  await rename(`${file}.away`, file)
  await start()
  await service.rotateKey('local:1')
  await service.retireKey(id, [])
})

test('reports do not pile up while a service is silent, and the end waits for the one in hand', async () => {
  let asked = 0
  let silence = Promise.withResolvers<never>()
  const ring = {
    keys: [{ id: 'far', state: 'added' as const, probe: Buffer.alloc(1), seal: null }],
    currentKeyId: 'local:1',
    refresh: async () => undefined,
    prove: () => {
      asked += 1
      return silence.promise
    },
  }
  const giveUp = () => {
    const former = silence
    silence = Promise.withResolvers()
    former.reject(new KeyProviderUnavailable('silent'))
  }
  const node = startKeyNode({ pool, ring, log, reportMillis: 20 })
  await expect.poll(() => asked).toBe(1)
  // Ten turns of the clock, in which no other report asks.
  await delay(200)
  expect(asked).toBe(1)
  giveUp()
  await expect.poll(() => asked).toBe(2)
  let isStopped = false
  const stopped = node.stop().then(() => {
    isStopped = true
  })
  // An end that did not wait would be there by now.
  await delay(50)
  expect(isStopped).toBe(false)
  giveUp()
  await stopped
  expect(asked).toBe(2)
  expect((await pool.query('select 1 from key_nodes')).rowCount).toBe(0)
})

test('a list that cannot be read says nothing of what a key wrapped', async () => {
  const { ring } = await open()
  const { wrapped } = await ring.wrap(randomBytes(32), context)
  await pool.query('alter table key_encryption_keys rename to away')
  try {
    const opening = ring.unwrap('local:0123456789abcdef', wrapped, context)
    await expect(opening).rejects.toMatchObject({ name: 'KeyProviderUnavailable', code: 'KEYS_UNREADABLE' })
    // The key that it knows opens all the same.
    await expect(ring.unwrap('local:1', wrapped, context)).resolves.toHaveLength(32)
  } finally {
    await pool.query('alter table away rename to key_encryption_keys')
  }
  await expect(ring.unwrap('local:0123456789abcdef', wrapped, context)).rejects.toThrow('No such')
})

test('what the verbs refuse changes nothing', async () => {
  const service = await serviceOf()
  const rows = async () => (await pool.query('select * from key_encryption_keys')).rows
  const before = await rows()
  await expect(service.addKey('local:2')).rejects.toThrow('local:2 names no key')
  await expect(service.addKey('local:0123456789abcdef')).rejects.toThrow('is missing. Copy it')
  await expect(service.rotateKey('local:0123456789abcdef')).rejects.toThrow('There is no key local:0123456789abcdef')
  await expect(service.retireKey('local:1', [])).rejects.toThrow('local:1 is current')
  await expect(service.retireKey('local:0123456789abcdef', [])).rejects.toThrow(
    'There is no key local:0123456789abcdef',
  )
  expect(await rows()).toEqual(before)
})

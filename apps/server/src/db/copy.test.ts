import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { approvedSession } from '../../test/flows.ts'
import { PATIENT, startTestService, type TestService } from '../../test/service.ts'
import { checkedParts, copyIn, copyOut, type Part, withCopyClient } from './copy.ts'
import { TABLES } from './tables.ts'

// Guarantee: what is copied out of a database and into another one is every row of it, byte for byte, from one moment.

let service: TestService
let target: TestDatabase
let parts: Part[]

beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
  await approvedSession(service.merchant)
  await approvedSession(service.merchant)
  parts = await withCopyClient(service.database.connection, async (client) => {
    const found: Part[] = []
    for await (const part of copyOut(client)) {
      // What is committed meanwhile is not in it, of no table.
      if (part.type === 'manifest') await approvedSession(service.merchant)
      found.push(part.type === 'rows' ? { ...part, bytes: Buffer.from(part.bytes) } : part)
    }
    return found
  })
  target = await createTestDatabase()
}, 60_000)
afterAll(async () => {
  await target?.close()
  await service?.close()
})

async function* given(list: readonly Part[]) {
  yield* list
}
const load = (list: readonly Part[]) => withCopyClient(target.connection, (client) => copyIn(client, given(list)))
const rowsOf = async (database: TestDatabase, table: string) =>
  (await database.pool.query<{ row: string }>(`select t::text as row from ${table} t order by 1`)).rows.map(
    ({ row }) => row,
  )

test('what is loaded is what was there at the beginning', async () => {
  const loaded = await load(parts)
  expect([...loaded.keys()].map((name) => name.replace('public.', '')).sort()).toEqual(
    Object.keys(TABLES)
      .filter((name) => name !== 'schema_migrations' && name !== 'key_nodes')
      .sort(),
  )
  for (const table of ['charges', 'vault_records', 'simnet.mints', 'approvals', 'key_encryption_keys', 'merchants']) {
    const [source, copy] = [await rowsOf(service.database, table), await rowsOf(target, table)]
    expect(source).toEqual(expect.arrayContaining(copy))
    expect({ table, loaded: loaded.get(table.includes('.') ? table : `public.${table}`) }).toEqual({
      table,
      loaded: copy.length,
    })
  }
  expect(await rowsOf(target, 'merchants')).toEqual(await rowsOf(service.database, 'merchants'))
  expect(loaded.get('public.charges')).toBe(2)
  // Once more: it takes the place of what is there.
  expect(await load(parts)).toEqual(loaded)
})

test('a copy that fails changes nothing', async () => {
  await load(parts)
  const before = await rowsOf(target, 'charges')
  const without = (type: Part['type']) => {
    const at = parts.findLastIndex((part) => part.type === type)
    return parts.filter((_part, index) => index !== at)
  }
  const cases: Part[][] = [
    ...(['manifest', 'table', 'rows', 'end of table', 'end'] as const).map(without),
    parts.slice(0, -5),
    [...parts, { type: 'end', tables: 0 }],
    parts.map((part) => (part.type === 'rows' ? { ...part, bytes: Buffer.from('nonsense\n') } : part)),
    // Without the rows that others point to.
    dropRowsOf('public.merchants'),
  ]
  for (const list of cases) await expect(load(list)).rejects.toThrow()
  expect(await rowsOf(target, 'charges')).toEqual(before)
})

function dropRowsOf(table: string): Part[] {
  let isInside = false
  return parts.flatMap((part) => {
    if (part.type === 'table') isInside = part.name === table
    if (isInside && part.type === 'rows') return []
    return isInside && part.type === 'end of table' ? [{ ...part, rows: 0 }] : [part]
  })
}

test('the check of a whole backup needs no database', async () => {
  const read = async (list: readonly Part[]) => {
    for await (const _part of checkedParts(given(list)));
  }
  await read(parts)
  await expect(read(parts.slice(0, -1))).rejects.toThrow('not one that this program made')
  await expect(read([])).rejects.toThrow('not one that this program made')
})

import { expect, test } from 'vitest'
import { keepLog } from '../../test/logged.ts'
import { createRowSeals, RowTampered, type SealedRow } from './row-seals.ts'
import { secret } from './secret.ts'

// Guarantee: an editor of the database without the key makes no row that the program takes for its own; and an alarm is logged.

function sealsWithLog(byte = 1) {
  const { log, lines, entries } = keepLog('info')
  return { lines, entries, seals: createRowSeals({ key: secret(Buffer.alloc(32, byte)), log }) }
}

const ROW: SealedRow = { table: 'cards', merchantId: 'ma_1', id: 'card_1', parts: ['cus_1', 'ntk_1', null, 4000n] }

test('a row as it was written is taken, without a word', () => {
  const { seals, lines } = sealsWithLog()
  seals.check(ROW, seals.seal(ROW))
  expect(lines).toEqual([])
})

test('a row that an earlier program sealed is taken: text, money, counts, bytes and nothing', () => {
  const parts = ['cus_1', 'ntk_1', null, 4000n, 'Zürich', 7, new Uint8Array([0, 255])]
  const seal = '205af32f1b840ad589eabfe2db5cdf35484c7522f9ccc500346fa57fbb60e4f3'
  sealsWithLog().seals.check({ ...ROW, parts }, Buffer.from(seal, 'hex'))
})

test.each<[string, Partial<SealedRow>]>([
  ['another table', { table: 'passkeys' }],
  ['another merchant', { merchantId: 'ma_2' }],
  ['another row', { id: 'card_2' }],
  ['another value', { parts: ['cus_1', 'ntk_2', null, 4000n] }],
  ['a value for none', { parts: ['cus_1', 'ntk_1', '', 4000n] }],
  ['a value more', { parts: ['cus_1', 'ntk_1', null, 4000n, null] }],
  ['the same letters cut elsewhere', { parts: ['cus_1n', 'tk_1', null, 4000n] }],
])('%s is refused with an alarm', (_name, change) => {
  const { seals, entries } = sealsWithLog()
  const row = { ...ROW, ...change }
  expect(() => seals.check(row, seals.seal(ROW))).toThrow(RowTampered)
  expect(entries()).toMatchObject([
    { level: 'error', alarm: 'row_tampered', table: row.table, row_id: row.id, merchant_id: row.merchantId },
  ])
})

test('no seal, a cut one and one of another key are refused', () => {
  const { seals } = sealsWithLog()
  const other = sealsWithLog(2).seals
  for (const stored of [null, Buffer.alloc(0), seals.seal(ROW).subarray(1), other.seal(ROW)]) {
    expect(() => seals.check(ROW, stored)).toThrow(RowTampered)
  }
})

import { beforeAll, expect, test } from 'vitest'
import { HOT_STATEMENTS } from './hot.ts'
import { STATEMENTS } from './statement.ts'
import { loadStatements } from './testing/load-statements.ts'
import { countParts } from './testing/sql.ts'
import { WIDE_STATEMENTS } from './testing/wide-statements.ts'

// Guarantee: a statement stays so small that setting its plan up costs less than its work (ADR 0080). What is wider
// today is a list with its sizes: none of them grows, and one that has become small leaves it.

const HOT = { parts: 3, characters: 1_500, parameters: 15 }
const ANY = { parts: Number.POSITIVE_INFINITY, characters: 3_000, parameters: 25 }

interface Sizes {
  /** Parts of WITH. */
  parts: number
  characters: number
  parameters: number
}

const sizes = new Map<string, Sizes>()

beforeAll(async () => {
  await loadStatements()
  for (const { name, text, parameters } of STATEMENTS.values()) {
    const characters = text.replaceAll(/\s+/g, ' ').length
    sizes.set(name, { parts: await countParts(text), characters, parameters: parameters.length })
  }
})

const exceeds = (size: Sizes, limit: Sizes) =>
  size.parts > limit.parts || size.characters > limit.characters || size.parameters > limit.parameters
const limitOf = (name: string) => (HOT_STATEMENTS.has(name) ? HOT : ANY)
const sizeIn = (listed: readonly [number, number, number]): Sizes => {
  const [parts, characters, parameters] = listed
  return { parts, characters, parameters }
}

test('a statement is within its limits, or in the list and no wider than it says', () => {
  const wide = [...sizes].filter(([name, size]) => {
    const listed = WIDE_STATEMENTS[name]
    return exceeds(size, listed === undefined ? limitOf(name) : sizeIn(listed))
  })
  expect(wide).toEqual([])
})

test('the list names no statement that is gone or has become small', () => {
  const idle = Object.keys(WIDE_STATEMENTS).filter((name) => {
    const size = sizes.get(name)
    return size === undefined || !exceeds(size, limitOf(name))
  })
  expect(idle).toEqual([])
})

test('the hot statements are those of the program', () => {
  expect([...HOT_STATEMENTS].filter((name) => !sizes.has(name))).toEqual([])
})

test('parts are those of WITH at any depth', async () => {
  expect(await countParts('select 1')).toBe(0)
  expect(await countParts('with a as (select 1), b as (with c as (select 2) select 3 from c) select 4 from a, b')).toBe(
    3,
  )
})

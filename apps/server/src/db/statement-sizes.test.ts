import { beforeAll, expect, test } from 'vitest'
import { STATEMENTS } from './statement.ts'
import { loadStatements } from './testing/load-statements.ts'
import { countParts } from './testing/sql.ts'
import { STATEMENT_LIMITS, WIDE_STATEMENTS } from './testing/wide-statements.ts'

// Guarantee: a statement stays so small that setting its plan up costs less than its work (ADR 0080). What is wider today is a list
// with its sizes: none of them grows, and one that has become small leaves it.

/** What a payment, a charge of a mandate, their reports, a deposit and an order ask on their way, where nothing goes wrong. */
const HOT_STATEMENTS = new Set([
  'agents.authenticate',
  'agents.take',
  'cards.find_begun',
  'carts.list_priced',
  'carts.lock',
  'charges.claim_minting',
  'charges.claim_report',
  'charges.insert_opened',
  'charges.update_minted',
  'charges.update_paid',
  'charges.update_standing_minted',
  'charges.update_standing_paid',
  'escalations.find_asked',
  'events.insert',
  'ledger.insert_transfer',
  'limits.take_points',
  'mandates.take',
  'merchants.find_key',
  'orders.find_parties',
  'orders.insert',
  'passkeys.claim_challenge',
  'passkeys.insert_challenge',
  'passkeys.insert_first_challenge',
  'sessions.approve_payment',
  'sessions.approve_quoted_payment',
  'sessions.claim_report',
  'sessions.find_chosen_card',
  'sessions.find_enrollment',
  'sessions.find_passkey',
  'sessions.find_payment',
  'sessions.find_quoted_payment',
  'sessions.find_setup',
  'sessions.insert_entered_card',
  'sessions.insert_evidence',
  'sessions.insert_passkey',
  'sessions.insert_payment',
  'sessions.insert_plain_payment',
  'sessions.insert_quoted_payment',
  'sessions.issue_challenge',
  'sessions.list_usable_cards',
  'sessions.update_accepted',
  'sessions.update_card',
  'stock.update_taken',
])

interface Sizes {
  /** The parts of WITH. */
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
const limitOf = (name: string) => (HOT_STATEMENTS.has(name) ? STATEMENT_LIMITS.hot : STATEMENT_LIMITS.any)
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

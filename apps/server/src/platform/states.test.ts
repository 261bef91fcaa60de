import { describe, expect, it } from 'vitest'
import { CARD_TRANSITIONS } from '../cards/states.ts'
import { CHARGE_TRANSITIONS } from '../charges/states.ts'
import { PURCHASE_TRANSITIONS } from '../checkout/purchases/states.ts'
import { MANDATE_TRANSITIONS } from '../mandates/states.ts'
import { SESSION_TRANSITIONS } from '../sessions/states.ts'
import { ENDPOINT_TRANSITIONS } from '../webhooks/states.ts'
import { originList, originsOf } from './states.ts'

const TABLES: [string, Record<string, readonly string[]>, string, string[]][] = [
  ['cards', CARD_TRANSITIONS, 'provisioning', []],
  ['sessions', SESSION_TRANSITIONS, 'pending', ['completed', 'failed']],
  ['charges', CHARGE_TRANSITIONS, 'initiated', ['completed', 'failed']],
  ['purchases', PURCHASE_TRANSITIONS, 'pending', ['paid', 'prepare_failed', 'failed']],
  ['webhook endpoints', ENDPOINT_TRANSITIONS, 'unverified', []],
  ['mandates', MANDATE_TRANSITIONS, 'pending', ['consumed', 'cancelled', 'expired']],
]

describe.each(TABLES)('the transition table of %s', (_name, transitions, initial, terminal) => {
  it('reaches every state from the initial one', () => {
    const seen = new Set([initial])
    for (const state of seen) for (const next of transitions[state] ?? []) seen.add(next)
    expect([...seen].sort()).toEqual(Object.keys(transitions).sort())
  })

  it('has no exit from exactly the terminal states', () => {
    const closed = Object.keys(transitions).filter((state) => transitions[state]?.length === 0)
    expect(closed.sort()).toEqual([...terminal].sort())
  })
})

it('names the origins of a transition', () => {
  expect(originsOf(SESSION_TRANSITIONS, 'failed')).toEqual(['pending', 'processing', 'awaiting_result'])
  expect(originsOf(SESSION_TRANSITIONS, 'pending')).toEqual([])
})

it('lists the origins in SQL, all or some of them, and refuses moves that the table has not', () => {
  expect(originList(CHARGE_TRANSITIONS, 'failed')).toBe("'initiated', 'minting', 'awaiting_result'")
  expect(originList(CHARGE_TRANSITIONS, 'failed', ['minting'])).toBe("'minting'")
  expect(() => originList(CHARGE_TRANSITIONS, 'failed', ['completed'])).toThrow('from completed to failed')
  expect(() => originList(CHARGE_TRANSITIONS, 'initiated')).toThrow('to initiated')
})

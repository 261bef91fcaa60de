import { describe, expect, it } from 'vitest'
import { CHARGE_TRANSITIONS } from '../charges/states.ts'
import { MANDATE_TRANSITIONS } from '../mandates/states.ts'
import { SESSION_TRANSITIONS } from '../sessions/states.ts'
import { originsOf } from './states.ts'

const TABLES: [string, Record<string, readonly string[]>, string, string[]][] = [
  ['sessions', SESSION_TRANSITIONS, 'pending', ['completed', 'failed']],
  ['charges', CHARGE_TRANSITIONS, 'initiated', ['completed', 'failed']],
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

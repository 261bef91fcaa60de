// Guarantee: what a charge counts for follows what was captured, in whatever order that is heard of.
import { expect, test } from 'vitest'
import { countedMinor, type SummedFact, totalsOf } from './counted.ts'
import type { FactKind } from './events-port.ts'

const AMOUNT = 4_000n
const facts = (...told: [FactKind, number][]): SummedFact[] =>
  told.map(([kind, amount]) => ({ kind, amountMinor: BigInt(amount) }))
const counted = (...told: [FactKind, number][]) => countedMinor(AMOUNT, totalsOf(facts(...told)))

test.each<[string, [FactKind, number][], bigint]>([
  ['nothing was heard', [], 4_000n],
  ['a declined authorization', [['declined', 4_000]], 4_000n],
  ['an authorization', [['authorized', 4_000]], 4_000n],
  ['an authorization of less: more may come', [['authorized', 3_000]], 4_000n],
  [
    'captured whole',
    [
      ['authorized', 4_000],
      ['captured', 4_000],
    ],
    4_000n,
  ],
  [
    'captured in part, and more to come',
    [
      ['authorized', 4_000],
      ['captured', 1_500],
    ],
    4_000n,
  ],
  [
    'captured in part, and the rest given up',
    [
      ['authorized', 4_000],
      ['captured', 1_500],
      ['reversed', 2_500],
    ],
    1_500n,
  ],
  [
    'captured in two parts',
    [
      ['authorized', 4_000],
      ['captured', 1_500],
      ['captured', 2_000],
      ['expired', 500],
    ],
    3_500n,
  ],
  [
    'reversed',
    [
      ['authorized', 4_000],
      ['reversed', 4_000],
    ],
    0n,
  ],
  [
    'expired',
    [
      ['authorized', 4_000],
      ['expired', 4_000],
    ],
    0n,
  ],
  [
    'reversed, and taken nevertheless',
    [
      ['authorized', 4_000],
      ['reversed', 4_000],
      ['captured', 4_000],
    ],
    4_000n,
  ],
  [
    'captured above the authorization',
    [
      ['authorized', 4_000],
      ['captured', 4_700],
    ],
    4_700n,
  ],
  ['captured without an authorization', [['captured', 900]], 900n],
  [
    'refunded',
    [
      ['authorized', 4_000],
      ['captured', 4_000],
      ['refunded', 4_000],
    ],
    4_000n,
  ],
  [
    'disputed',
    [
      ['authorized', 4_000],
      ['captured', 4_000],
      ['disputed', 4_000],
    ],
    4_000n,
  ],
])('%s', (_name, told, expected) => {
  expect(counted(...told)).toBe(expected)
  expect(counted(...told.toReversed())).toBe(expected)
})

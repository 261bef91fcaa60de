import { describe, expect, test } from 'vitest'
import { secret } from '../../platform/secret.ts'
import { DECLINE_REASONS, type DeclineReason } from '../port.ts'
import { readCard } from './card-number.ts'
import { RESPONSE_CODES } from './response-codes.ts'
import {
  type CredentialFacts,
  decideAuthorization,
  decideMint,
  decideProvision,
  decideRegistration,
  hasMonthPassed,
  type MintFacts,
  type PresentedFacts,
  printedMonth,
} from './rules.ts'
import { numberOf } from './testing/cards.ts'

const now = new Date('2026-11-21T12:00:00.000Z')
const past = new Date('2026-11-21T12:00:00.000Z')
const usd = (minor: bigint) => ({ minor, currency: 'USD' as const })

describe('printedMonth', () => {
  test.each([
    ['one_time', '2026-11-21T12:15:00Z', { year: 2026, month: 12 }],
    ['one_time', '2026-12-01T00:00:00Z', { year: 2026, month: 12 }],
    ['one_time', '2026-12-31T23:59:59Z', { year: 2026, month: 12 }],
    ['one_time', '2027-01-01T00:00:00Z', { year: 2027, month: 1 }],
    ['one_time', '2027-11-22T12:00:00Z', { year: 2027, month: 11 }],
    ['monthly', '2028-11-21T12:00:00Z', { year: 2026, month: 12 }],
  ] as const)('%s until %s', (frequency, until, printed) => {
    expect(printedMonth(now, { frequency, validUntil: new Date(until), end: null })).toEqual(printed)
  })

  test.each([
    ['2026-11-30T00:00:00Z', '2026-11-30T00:01:00Z', { year: 2026, month: 12 }],
    ['2027-01-31T12:00:00Z', '2027-03-02T12:00:00Z', { year: 2027, month: 3 }],
    ['2026-12-02T00:00:00Z', '2027-01-01T00:00:00Z', { year: 2027, month: 1 }],
  ])('from %s a life until %s', (from, until, printed) => {
    const validUntil = new Date('2030-01-01T00:00:00Z')
    for (const frequency of ['one_time', 'monthly'] as const) {
      expect(printedMonth(new Date(from), { frequency, validUntil, end: new Date(until) })).toEqual(printed)
    }
  })
})

describe('decideProvision', () => {
  const good = { number: '4242424242424242', cvv: '123', expiry: { month: 12, year: 2030 } }

  test.for([
    [{}, null],
    [{ number: '4242424242424243' }, 'CARD_NUMBER_INVALID'],
    [{ number: '4242' }, 'CARD_NUMBER_INVALID'],
    [{ number: '4242 4242 4242 4242' }, 'CARD_NUMBER_INVALID'],
    [{ expiry: { month: 10, year: 2026 } }, 'CARD_EXPIRED'],
    [{ expiry: { month: 11, year: 2026 } }, null],
    [{ expiry: { month: 13, year: 2030 } }, 'CARD_EXPIRED'],
    [{ cvv: '000' }, 'CVV_MISMATCH'],
    [{ cvv: '1234' }, 'CVV_MISMATCH'],
    [{ cvv: 'abc' }, 'CVV_MISMATCH'],
    [{ number: '378282246310005', cvv: '1234' }, null],
    [{ number: '378282246310005', cvv: '123' }, 'CVV_MISMATCH'],
    [{ number: numberOf('cvv_mismatch') }, 'CVV_MISMATCH'],
    [{ number: numberOf('bin_country_refused') }, 'BIN_COUNTRY_NOT_ALLOWED'],
    [{ number: numberOf('bin_issuer_refused') }, 'BIN_ISSUER_NOT_ALLOWED'],
    [{ number: numberOf('card_declined') }, 'CARD_DECLINED'],
    // Several apply: the first of the list is given.
    [{ number: numberOf('card_declined'), cvv: '000', expiry: { month: 1, year: 2020 } }, 'CARD_EXPIRED'],
    [{ number: '4242424242424243', cvv: '000', expiry: { month: 1, year: 2020 } }, 'CARD_NUMBER_INVALID'],
  ] as const)('%j → %s', ([change, reason]) => {
    const { number, cvv, expiry } = { ...good, ...change }
    expect(decideProvision(readCard(secret(number), secret(cvv)), expiry, now)).toEqual(answer(reason))
  })

  test('a card is good through the last moment of its month', () => {
    expect(hasMonthPassed({ month: 12, year: 2026 }, new Date('2026-12-31T23:59:59.999Z'))).toBe(false)
    expect(hasMonthPassed({ month: 12, year: 2026 }, new Date('2027-01-01T00:00:00.000Z'))).toBe(true)
  })
})

test.for([
  [{}, null],
  [{ merchantHost: undefined }, null],
  [{ tokenActive: false }, 'TOKEN_NOT_ACTIVE'],
  [{ mandateTaken: true }, 'INSTRUCTION_NOT_ACTIVE'],
  [{ validUntil: past }, 'INSTRUCTION_EXPIRED'],
  [{ merchantHost: null }, 'MERCHANT_NOT_ALLOWED'],
  [{ merchantHost: null, validUntil: past, mandateTaken: true, tokenActive: false }, 'TOKEN_NOT_ACTIVE'],
] as const)('decideRegistration %j → %s', ([change, reason]) => {
  const validUntil = new Date('2026-12-01T00:00:00Z')
  const good = {
    isRefused: false,
    tokenActive: true,
    mandateTaken: false,
    validUntil,
    merchantHost: 'shop.example',
    now,
  }
  expect(decideRegistration({ ...good, ...change })).toEqual(answer(reason))
})

describe('decideMint', () => {
  const good: MintFacts = {
    behaviour: 'success',
    tokenActive: true,
    instructionActive: true,
    referenceRight: true,
    validUntil: new Date('2026-12-01T00:00:00Z'),
    cap: usd(10_000n),
    maxCharges: 3,
    chargeCount: 2,
    spentMinor: 6_000n,
    lockedHost: 'shop.example',
    now,
  }
  const request = { amount: usd(4_000n), merchantHost: 'shop.example' }
  const breaches: readonly (readonly [DeclineReason, Partial<MintFacts>])[] = [
    ['CARD_DECLINED', { behaviour: 'mint_declined' }],
    ['TOKEN_NOT_ACTIVE', { tokenActive: false }],
    ['INSTRUCTION_NOT_ACTIVE', { instructionActive: false }],
    ['INSTRUCTION_EXPIRED', { validUntil: past }],
    ['CURRENCY_MISMATCH', { cap: { minor: 10_000n, currency: 'EUR' } }],
    ['MERCHANT_NOT_ALLOWED', { lockedHost: 'other.example' }],
    ['MAX_CHARGES_EXCEEDED', { chargeCount: 3 }],
    ['THRESHOLD_EXCEEDED', { spentMinor: 6_001n }],
    ['NOT_FOUND', { referenceRight: false }],
  ]

  test('everything in order, up to the last hundredth', () => {
    expect(decideMint(good, request)).toEqual({ allowed: true })
  })

  test('no limit of charges, any merchant', () => {
    const open = { ...good, maxCharges: null, chargeCount: 1_000_000, lockedHost: null }
    expect(decideMint(open, request)).toEqual({ allowed: true })
    expect(decideMint(open, { ...request, merchantHost: null })).toEqual(answer('MERCHANT_NOT_ALLOWED'))
  })

  test.for(breaches)('%s', ([reason, breach]) => {
    expect(decideMint({ ...good, ...breach }, request)).toEqual(answer(reason))
  })

  test('when several apply, the first of the list is given', () => {
    for (let index = 0; index < breaches.length; index += 1) {
      const rest = breaches.slice(index)
      const facts: MintFacts = Object.assign({}, good, ...rest.map(([, breach]) => breach))
      expect(decideMint(facts, request)).toEqual(answer(rest[0]?.[0] ?? null))
    }
    const ranks = breaches.map(([reason]) => DECLINE_REASONS.indexOf(reason))
    expect(ranks).toEqual(ranks.toSorted((left, right) => left - right))
  })
})

describe('decideAuthorization', () => {
  const open: CredentialFacts = {
    state: 'open',
    behaviour: 'success',
    amount: usd(4_000n),
    merchantHost: 'shop.example',
    validUntil: new Date('2026-12-01T00:00:00Z'),
    now,
  }
  const right: PresentedFacts = { cvvRight: true, expiryRight: true, amount: usd(4_000n), merchantHost: 'shop.example' }
  const cases: readonly (readonly [string, Partial<CredentialFacts>, Partial<PresentedFacts>])[] = [
    ['62', { state: 'blocked' }, {}],
    ['62', { state: 'blocked' }, { cvvRight: false }],
    ['82', {}, { cvvRight: false }],
    ['82', { state: 'used' }, { cvvRight: false, expiryRight: false }],
    ['54', {}, { expiryRight: false }],
    ['62', { state: 'closed' }, {}],
    ['57', { state: 'used' }, {}],
    ['54', { validUntil: past }, { amount: usd(9_999n) }],
    ['12', {}, { amount: { minor: 4_000n, currency: 'EUR' } }],
    ['03', {}, { merchantHost: 'other.example', amount: usd(4_001n) }],
    ['03', {}, { merchantHost: null }],
    ['61', {}, { amount: usd(4_001n) }],
    ['05', { behaviour: 'do_not_honour' }, {}],
    ['51', { behaviour: 'insufficient_funds' }, {}],
    ['00', {}, {}],
    ['00', {}, { amount: usd(1n) }],
  ]

  test('an unknown number', () => {
    expect(decideAuthorization(null, right)).toBe('14')
  })

  test('every code that the documents list is an answer to an amount that a request may have', () => {
    const amounts = cases.map(([, , { amount = right.amount }]) => amount.minor)
    expect(amounts.every((minor) => minor > 0n)).toBe(true)
    expect(new Set(['14', ...cases.map(([code]) => code)])).toEqual(new Set(Object.keys(RESPONSE_CODES)))
  })

  test.for(cases)('%s: %o, %o', ([code, credential, presented]) => {
    expect(decideAuthorization({ ...open, ...credential }, { ...right, ...presented })).toBe(code)
  })
})

function answer(reason: DeclineReason | null) {
  return reason === null ? { allowed: true } : { allowed: false, reason }
}

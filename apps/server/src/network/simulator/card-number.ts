import { randomInt } from 'node:crypto'
import type { CardBrand } from '@mintmark/contract'
import { luhnDigit, passesLuhn } from '../../platform/luhn.ts'
import { type Secret, secret } from '../../platform/secret.ts'
import { type Behaviour, behaviourOf, WRONG_CVV } from './test-cards.ts'

/** What the network reads off a card. The number and the CVV themselves go no further. */
export interface CardFacts {
  valid: boolean
  last4: string
  brand: CardBrand | null
  behaviour: Behaviour
  cvvAccepted: boolean
}

/** Reads a card: check digit, script, and whether the CVV has the brand's length and is not the wrong one. */
export function readCard(cardNumber: Secret, cvv: Secret | null): CardFacts {
  const digits = cardNumber.reveal()
  const code = cvv?.reveal()
  const valid = /^\d{12,19}$/.test(digits) && passesLuhn(digits)
  return {
    valid,
    last4: valid ? digits.slice(-4) : '',
    brand: brandOf(digits),
    behaviour: behaviourOf(digits),
    cvvAccepted: code === undefined || (cvvShape(brandOf(digits)).test(code) && code !== WRONG_CVV),
  }
}

/** First match wins: Diners' and UnionPay's ranges lie beside Discover's. */
const BRANDS: readonly (readonly [CardBrand, RegExp])[] = [
  ['visa', /^4/],
  ['mastercard', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
  ['amex', /^3[47]/],
  ['diners', /^(30[0-5]|309|36|3[89])/],
  ['jcb', /^35(2[89]|[3-8])/],
  ['discover', /^(6011|64[4-9]|65)/],
  ['unionpay', /^(62|81)/],
]

/** The brand of a number by its first digits, or null. */
export function brandOf(cardNumber: string): CardBrand | null {
  return BRANDS.find(([, prefix]) => prefix.test(cardNumber))?.[0] ?? null
}

function cvvShape(brand: CardBrand | null): RegExp {
  if (brand === 'amex') return /^\d{4}$/
  return brand === null ? /^\d{3,4}$/ : /^\d{3}$/
}

/**
 * First digits of every minted number. They look like a Visa's, so that merchants' card forms take them, and no test
 * card begins with them, so that the two kinds cannot be confused.
 */
export const VIRTUAL_BIN = '489537'

/** A new virtual card number of 16 digits. Unique only once it is stored: a billion numbers do repeat. */
export function newVirtualNumber(): Secret {
  const payload = VIRTUAL_BIN + String(randomInt(1_000_000_000)).padStart(9, '0')
  return secret(payload + luhnDigit(payload))
}

/** A new dynamic CVV of three digits. */
export function newDynamicCvv(): Secret {
  return secret(String(randomInt(1000)).padStart(3, '0'))
}

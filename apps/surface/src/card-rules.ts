import type { CardBrand } from '@mintmark/contract/card-brands'
import { cardNumber } from 'card-validator/dist/card-number.js'
import { knownBrand } from './card-text.ts'
import { asciiDigits, digitsOf, grouped } from './digit-text.ts'
import type { Phrase } from './phrase.ts'
import { text } from './text/text.ts'

/** What the page knows of a card's network from the digits so far. */
export interface CardKind {
  /** As the wire names it; null while it is not decided, and for a network that the wire has no name for. */
  brand: CardBrand | null
  gaps: readonly number[]
  lengths: readonly number[]
  codeLength: number
}

const UNDECIDED: CardKind = {
  brand: null,
  gaps: [4, 8, 12],
  lengths: [12, 13, 14, 15, 16, 17, 18, 19],
  codeLength: 3,
}

export function cardKind(number: string): CardKind {
  const { card } = cardNumber(digitsOf(number))
  if (card === null) return UNDECIDED
  return {
    brand: knownBrand(card.type),
    gaps: card.gaps,
    lengths: card.lengths,
    codeLength: card.code.size,
  }
}

/** Longer than any length of its network is cut: a pasted tail or a held key adds nothing. */
export function formatNumber(digits: string): string {
  const kind = cardKind(digits)
  return grouped(digits.slice(0, Math.max(...kind.lengths)), kind.gaps)
}

/** What is wrong with a field in words for the cardholder; null when it is right. */
export type Problem = Phrase | null

export function numberProblem(number: string): Problem {
  const digits = digitsOf(number)
  if (digits === '') return text.cardNumber.missing
  const kind = cardKind(digits)
  if (digits.length < Math.min(...kind.lengths)) return text.cardNumber.short
  if (!cardNumber(digits).isValid) return text.cardNumber.wrong
  return null
}

export function codeProblem(code: string, length: number): Problem {
  if (code === '') return text.securityCode.missing
  return new RegExp(`^\\d{${length}}$`).test(code) ? null : text.securityCode.wrong(length)
}

/** The one-time code of the card's bank: 4 to 10 digits or letters. */
export function verificationCodeProblem(code: string): Problem {
  if (code.trim() === '') return text.oneTimeCode.missing
  return /^[0-9a-z]{4,10}$/i.test(plainCode(code)) ? null : text.oneTimeCode.wrong
}

/** A one-time code as it is sent: without what a message writes between its parts, and the invisible marks that a copy of it has. */
export function plainCode(code: string): string {
  return asciiDigits(code).replaceAll(/[\s\p{P}\p{C}]/gu, '')
}

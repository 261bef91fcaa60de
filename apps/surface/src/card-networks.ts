import type { CardBrand } from '@mintmark/contract/card-brands'

/** How the numbers of a network begin, and how long they are. */
export interface CardNetwork {
  brand: CardBrand | null
  gaps: readonly number[]
  lengths: readonly number[]
  codeLength: number
}

const USUAL_GAPS = [4, 8, 12]
const upTo = (shortest: number) => Array.from({ length: 20 - shortest }, (_, index) => shortest + index)

/** While it is not decided, and for a network that the contract has no name for. */
const UNDECIDED: CardNetwork = { brand: null, gaps: USUAL_GAPS, lengths: upTo(12), codeLength: 3 }

/** First digits, or the first and the last of a range of them; of those that fit, the longest decides. */
const BEGINNINGS: Record<CardBrand, string> = {
  visa: '4',
  mastercard: '51-55 2221-2229 223-229 23-26 270-271 2720',
  amex: '34 37',
  discover: '6011 644-649 65',
  diners: '300-305 36 38 39',
  jcb: '2131 1800 3528-3589',
  unionpay:
    '620 62100-62182 62184-62197 62200-62205 622010-622999 62207-62209 623-626 6270 6272 6276 627700-627779 627781-627799 6282-6289 6291 6292 810-817',
  maestro: '493698 500000-504174 504176-506698 506779-508999 56-59 63 67 6',
}
const LENGTHS: Partial<Record<CardBrand, readonly number[]>> = {
  visa: [16, 18, 19],
  mastercard: [16],
  amex: [15],
  discover: [16, 19],
  diners: [14, 16, 19],
  jcb: upTo(16),
  unionpay: upTo(14),
}

/** The network of a number that may not be typed to its end. */
export function networkOf(digits: string): CardNetwork {
  const found = (Object.keys(BEGINNINGS) as CardBrand[]).flatMap((brand) => {
    const beginning = BEGINNINGS[brand].split(' ').find((range) => fits(digits, range))
    return beginning === undefined ? [] : { brand, known: beginning.split('-')[0]?.length ?? 0 }
  })
  const isOpen = found.length > 1 && found.some(({ known }) => known > digits.length)
  const [first] = found.sort((one, other) => other.known - one.known)
  if (first === undefined || isOpen) return UNDECIDED
  const { brand } = first
  return {
    brand,
    gaps: brand === 'amex' || brand === 'diners' ? [4, 10] : USUAL_GAPS,
    lengths: LENGTHS[brand] ?? UNDECIDED.lengths,
    codeLength: brand === 'amex' ? 4 : 3,
  }
}

/** Whether a number with these digits so far may begin like this. */
function fits(digits: string, range: string): boolean {
  const [from = '', to = from] = range.split('-')
  const known = digits.slice(0, from.length)
  return known >= from.slice(0, known.length) && known <= to.slice(0, known.length)
}

/** Whether a number can be one: long enough for its network, and its last digit fits the others. */
export function isCardNumber(digits: string): boolean {
  const { brand, lengths } = networkOf(digits)
  // Which networks there are may be known better by the service. No network's numbers begin with these two.
  const isSomebodys = brand !== null || /^[2-9]/.test(digits)
  return isSomebodys && lengths.includes(digits.length) && (brand === 'unionpay' || addsUp(digits))
}

/** ISO/IEC 7812: every second digit from the right counts twice. */
function addsUp(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (1 + (index % 2))
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

import type { SurfaceCard } from '@mintmark/contract/surface-api'

const BRAND_NAMES: Record<string, string> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  'american-express': 'American Express',
  amex: 'American Express',
  discover: 'Discover',
  'diners-club': 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
  maestro: 'Maestro',
}

/** The server and the library spell brands with spaces, hyphens or underscores. */
export function brandKey(brand: string | null): string {
  return (brand ?? '').toLowerCase().replaceAll(/[\s_]+/g, '-')
}

export function brandName(brand: string | null): string {
  return BRAND_NAMES[brandKey(brand)] ?? 'Card'
}

/** How long the code of a card is that is known by its brand only. */
export function codeLengthOf(brand: string | null): number {
  return brandName(brand) === 'American Express' ? 4 : 3
}

type CardFacts = Omit<SurfaceCard, 'card_id'>

export function cardName(card: CardFacts): string {
  // A no-break space: the digits must not stand alone on the next line.
  return `${brandName(card.card_brand)} ending in\u00a0${card.card_last4}`
}

export function cardExpiry(card: CardFacts): string {
  const year = String(card.card_exp_year % 100).padStart(2, '0')
  return `${String(card.card_exp_month).padStart(2, '0')} / ${year}`
}

import { CARD_BRAND_NAMES, CARD_BRANDS, type CardBrand } from '@mintmark/contract/card-brands'
import type { SurfaceCardOnFile } from '@mintmark/contract/wire/surface'
import { filledText } from './phrase.ts'
import { text } from './text/text.ts'

/** A network that the contract names, by its name on the wire or in the library; null for any other. */
export function knownBrand(brand: string | null): CardBrand | null {
  const key = (brand ?? '').toLowerCase().replaceAll(/[\s_]+/g, '-')
  return CARD_BRAND_NAMES.find((known) => known === key || CARD_BRANDS[known].libraryName === key) ?? null
}

export function brandName(brand: string | null): string {
  const known = knownBrand(brand)
  return known === null ? text.card.unknownBrand : CARD_BRANDS[known].name
}

/** How long the code of a card is that is known by its brand only. */
export function codeLengthOf(brand: string | null): number {
  return knownBrand(brand) === 'amex' ? 4 : 3
}

export function cardName(card: Pick<SurfaceCardOnFile, 'card_brand' | 'card_last4'>): string {
  return filledText(text.card.named, { brand: brandName(card.card_brand), last4: card.card_last4 })
}

export function shortCardName(card: SurfaceCardOnFile): string {
  return `${brandName(card.card_brand)} ··\u00a0${card.card_last4}`
}

export function cardExpiry(card: SurfaceCardOnFile): string {
  const year = String(card.card_exp_year % 100).padStart(2, '0')
  return `${String(card.card_exp_month).padStart(2, '0')} / ${year}`
}

import type { SurfaceCardOnFile } from '@mintmark/contract/wire/surface'
import { BRAND_NAMES } from './text/brands.ts'
import { text } from './text/text.ts'

/** The server and the library spell brands with spaces, hyphens or underscores. */
export function brandKey(brand: string | null): string {
  return (brand ?? '').toLowerCase().replaceAll(/[\s_]+/g, '-')
}

export function brandName(brand: string | null): string {
  return BRAND_NAMES[brandKey(brand)] ?? text.card.unknownBrand
}

/** How long the code of a card is that is known by its brand only. */
export function codeLengthOf(brand: string | null): number {
  return brandName(brand) === BRAND_NAMES.amex ? 4 : 3
}

export function cardName(card: SurfaceCardOnFile): string {
  return text.card.named(brandName(card.card_brand), card.card_last4)
}

export function cardExpiry(card: SurfaceCardOnFile): string {
  const year = String(card.card_exp_year % 100).padStart(2, '0')
  return `${String(card.card_exp_month).padStart(2, '0')} / ${year}`
}

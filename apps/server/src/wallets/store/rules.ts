import { STORE_CATEGORY_CODES, type StoreCategory } from '@mintmark/contract'

/** With it the dearest cart has sixteen digits, far from the end of bigint. */
const MAX_PRICE_MINOR = 99_999_999_999n

export function isPossiblePrice(minor: bigint): boolean {
  return minor > 0n && minor <= MAX_PRICE_MINOR
}

/** Words of shops for what we have a code for. */
const SYNONYMS: ReadonlyMap<string, StoreCategory> = new Map(
  Object.entries({
    ...{ clothing: 'apparel', fashion: 'apparel', shoes: 'apparel', desk: 'office', stationery: 'office' },
    ...{ groceries: 'food', grocery: 'food', drinks: 'food', camping: 'outdoors', hiking: 'outdoors' },
    ...{ jewellery: 'jewelry', plants: 'garden', household: 'home', living: 'home' },
  } as const),
)

/** The code of a category as a shop calls it. */
export function categoryOf(words: string | null): StoreCategory {
  const slug = (words ?? '').trim().toLowerCase()
  return STORE_CATEGORY_CODES.find((code) => code === slug) ?? SYNONYMS.get(slug) ?? 'other'
}

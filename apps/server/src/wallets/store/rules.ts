import { STORE_CATEGORY_CODES, type StoreCategory } from '@mintmark/contract'

/** Words of shops for what we have a code for. */
const SYNONYMS: Readonly<Record<string, StoreCategory>> = {
  ...{ clothing: 'apparel', fashion: 'apparel', shoes: 'apparel', desk: 'office', stationery: 'office' },
  ...{ groceries: 'food', grocery: 'food', drinks: 'food', camping: 'outdoors', hiking: 'outdoors' },
  ...{ jewellery: 'jewelry', plants: 'garden', household: 'home', living: 'home' },
}

/** The code of a category as a shop calls it. */
export function categoryOf(words: string | null): StoreCategory {
  const slug = (words ?? '').trim().toLowerCase()
  return STORE_CATEGORY_CODES.find((code) => code === slug) ?? SYNONYMS[slug] ?? 'other'
}

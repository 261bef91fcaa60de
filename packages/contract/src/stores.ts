/** What a merchant of the wallet API can sell: the category codes. */
export const STORE_CATEGORIES = {
  apparel: 'Clothing, shoes, bags',
  art: 'Pictures, prints, material for artists',
  beauty: 'Cosmetics and care',
  books: 'Books and magazines, on paper or not',
  digital: 'Software, licences, gift cards',
  electronics: 'Devices and what belongs to them',
  food: 'Food and drink',
  furniture: 'Furniture and lamps',
  games: 'Games for every age',
  garden: 'Plants, seeds, garden tools',
  general: 'A bit of everything',
  gifts: 'Presents and cards',
  health: 'Pharmacy and wellbeing',
  home: 'Household goods',
  jewelry: 'Jewellery and watches',
  kitchen: 'For cooking and for the table',
  music: 'Recordings and instruments',
  office: 'For the desk and the office',
  outdoors: 'Camping and hiking',
  pets: 'For animals',
  services: 'What is done, not delivered',
  sports: 'For sports and training',
  textiles: 'Cloth for the home and to wear',
  tools: 'Tools and hardware',
  toys: 'For children to play with',
  travel: 'Tickets, stays, luggage',
  other: 'What fits nowhere else',
} as const
export type StoreCategory = keyof typeof STORE_CATEGORIES
export const STORE_CATEGORY_CODES = Object.keys(STORE_CATEGORIES) as StoreCategory[]

/** Where the catalog of an account comes from: its operator, or in the sandbox the shop there. */
export const CATALOG_SOURCES = ['import', 'shop'] as const
export type CatalogSource = (typeof CATALOG_SOURCES)[number]

export const CART_STATUSES = ['open', 'ordered', 'abandoned'] as const
export type CartStatus = (typeof CART_STATUSES)[number]

/** A cart has at most this many lines, and a line this many pieces. */
export const MAX_CART_LINES = 100
export const MAX_PIECES = 999

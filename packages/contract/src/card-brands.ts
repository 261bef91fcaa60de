interface CardBrandNames {
  /** The proper name, the same in every language. */
  name: string
  /** How the libraries that recognise numbers spell it. */
  libraryName: string
}

/** Card networks by their name on the wire. The one place that knows how each is spelt. */
export const CARD_BRANDS = {
  visa: { name: 'Visa', libraryName: 'visa' },
  mastercard: { name: 'Mastercard', libraryName: 'mastercard' },
  amex: { name: 'American Express', libraryName: 'american-express' },
  discover: { name: 'Discover', libraryName: 'discover' },
  diners: { name: 'Diners Club', libraryName: 'diners-club' },
  jcb: { name: 'JCB', libraryName: 'jcb' },
  unionpay: { name: 'UnionPay', libraryName: 'unionpay' },
  maestro: { name: 'Maestro', libraryName: 'maestro' },
} as const satisfies Record<string, CardBrandNames>

export type CardBrand = keyof typeof CARD_BRANDS
export const CARD_BRAND_NAMES = Object.keys(CARD_BRANDS) as CardBrand[]

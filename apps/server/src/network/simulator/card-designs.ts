import type { CardBrand } from '@mintmark/contract'
import type { CardDesign } from '../port.ts'

/** How the issuers of the simulated network want their cards shown. Light on dark, so that each can be read. */
const DESIGNS: Readonly<Record<CardBrand, CardDesign>> = {
  visa: { background: '#1a1f71', foreground: '#ffffff', label: '#c7cbf0' },
  mastercard: { background: '#26262b', foreground: '#ffffff', label: '#c9c9cf' },
  amex: { background: '#0a5c8a', foreground: '#ffffff', label: '#cfe6f3' },
  discover: { background: '#4a2a12', foreground: '#ffffff', label: '#f0d6c3' },
  diners: { background: '#1f3a4d', foreground: '#ffffff', label: '#cbdbe6' },
  jcb: { background: '#0b5a3c', foreground: '#ffffff', label: '#c8e6da' },
  unionpay: { background: '#8a1220', foreground: '#ffffff', label: '#f3cfd3' },
  maestro: { background: '#2b2b5e', foreground: '#ffffff', label: '#cfcff0' },
}

/** Null for a brand that the network does not know. */
export function designOf(brand: string | null): CardDesign | null {
  return brand !== null && Object.hasOwn(DESIGNS, brand) ? DESIGNS[brand as CardBrand] : null
}

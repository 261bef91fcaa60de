import { CARD_BRANDS, type CardBrand } from '@mintmark/contract'
import type { CardDesign } from '../network/port.ts'

// A card is drawn from its brand and the colours that the network named, and its drawing is named by them: all cards of one
// look share one, so that its address tells nothing of a card or a person, needs no credential, and may be kept for ever.

/** The colours of a card for which the network named none. */
const PLAIN: CardDesign = { background: '#3a3f4b', foreground: '#ffffff', label: '#d5d8df' }
/** Stands for a brand without a name of ours. */
const NO_BRAND = 'card'

/** Where the drawing of a card is, below the origin that serves it. */
export const CARD_ART_PATH = '/v1/card-art'

/** The name of the drawing: brand and colours. */
export function artName(brand: string | null, design: CardDesign | null): string {
  const { background, foreground, label } = design ?? PLAIN
  const colours = [background, foreground, label].map((colour) => colour.slice(1))
  return [isBrand(brand) ? brand : NO_BRAND, ...colours].join('-')
}

const ART_NAME = /^([a-z]{1,20})-([0-9a-f]{6})-([0-9a-f]{6})-([0-9a-f]{6})$/

/** The drawing of this name; null when no card is drawn so. */
export function drawArt(name: string): string | null {
  const [, brand = '', background, foreground, label] = ART_NAME.exec(name) ?? []
  if (!isBrand(brand) && brand !== NO_BRAND) return null
  const title = isBrand(brand) ? CARD_BRANDS[brand].name : 'Card'
  return `<svg xmlns="http://www.w3.org/2000/svg" width="512" height="323" viewBox="0 0 512 323" role="img" aria-label="${title}">
<rect width="512" height="323" rx="24" fill="#${background}"/>
<circle cx="440" cy="-40" r="220" fill="#${label}" fill-opacity="0.08"/>
<rect x="44" y="104" width="68" height="52" rx="9" fill="#${label}" fill-opacity="0.85"/>
<path d="M44 130h68M78 104v52" stroke="#${background}" stroke-opacity="0.45" stroke-width="3" fill="none"/>
<g fill="#${label}">${HIDDEN_DIGITS}</g>
<text x="468" y="288" text-anchor="end" fill="#${foreground}" font-family="Helvetica, Arial, sans-serif" font-size="36" font-weight="700">${title}</text>
</svg>
`
}

/** Four groups of four dots: a drawing shows no digit, not even the last ones. */
const HIDDEN_DIGITS = Array.from({ length: 16 }, (_, place) => {
  const x = 52 + place * 22 + Math.floor(place / 4) * 16
  return `<circle cx="${x}" cy="216" r="6"/>`
}).join('')

function isBrand(brand: string | null): brand is CardBrand {
  return brand !== null && Object.hasOwn(CARD_BRANDS, brand)
}

/** What stands behind the words of a page, in both of its schemes. */
const GROUNDS = { light: '#ffffff', dark: '#141c19' } as const
type Scheme = keyof typeof GROUNDS
/** What WCAG 2 asks of text (1.4.3). */
const LEAST_CONTRAST = 4.5
const COLOUR = /^#[\da-f]{6}$/i

/** Whether words of this colour, and words on it, can be read on the page of this scheme. */
export function canBeRead(colour: string, scheme: Scheme): boolean {
  return COLOUR.test(colour) && contrastOf(colour, GROUNDS[scheme]) >= LEAST_CONTRAST
}

/**
 * No colour is far enough from white and from black: each scheme has its own, and what it would be in the other is said
 * as well.
 */
export function accentProblem(colour: string, own: Scheme): string | null {
  if (canBeRead(colour, own)) return null
  if (!COLOUR.test(colour)) return 'must be a colour such as #0b6b55'
  const other = own === 'light' ? 'dark' : 'light'
  return `must be ${LEAST_CONTRAST}:1 or more against the ${own} page: ${colour} is ${ratio(colour, own)} (and ${ratio(colour, other)} against the ${other} one)`
}

/** Rounded down: what is refused must not read as if it was enough. */
const ratio = (colour: string, scheme: Scheme) =>
  `${(Math.floor(contrastOf(colour, GROUNDS[scheme]) * 100) / 100).toFixed(2)}:1`

/** The contrast of two colours as WCAG 2 counts it: 1 of equal ones, 21 of black and white. */
function contrastOf(one: string, other: string): number {
  const [a, b] = [luminanceOf(one), luminanceOf(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

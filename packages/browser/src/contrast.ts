// As in the contract, which is not installed with this package; a test compares them.

/** What stands behind the words of a page, in both of its schemes. */
export const GROUNDS = { light: '#ffffff', dark: '#141c19' } as const
/** What WCAG 2 asks of text (1.4.3). */
export const MIN_CONTRAST = 4.5

/** `#rrggbb`. */
export const COLOUR = /^#[\da-f]{6}$/i

/** The contrast of two colours as WCAG 2 counts it: 1 of equal ones, 21 of black and white. */
export function contrastOf(one: string, other: string): number {
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

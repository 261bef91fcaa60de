/** As in the contract, which is not installed with this package; a test compares them. */
const GROUNDS = { light: '#ffffff', dark: '#141c19' }

/** Why words of this colour, and words on it, could not be read on the page of this scheme; null where they can. */
export function accentProblem(colour: unknown, scheme: keyof typeof GROUNDS): string | null {
  if (typeof colour !== 'string' || !/^#[\da-f]{6}$/i.test(colour)) return 'is a colour like #0b6b55'
  const { light, dark } = GROUNDS
  const against = { light: contrastOf(colour, light), dark: contrastOf(colour, dark) }
  if (against[scheme] >= 4.5) return null
  return `is ${shown(against.light)} against the light page, ${shown(against.dark)} against the dark one: the ${scheme} one needs 4.5:1`
}

/** Rounded down: what is refused must not read as if it was enough. */
const shown = (contrast: number) => `${Math.floor(contrast * 100) / 100}:1`

function contrastOf(one: string, other: string): number {
  const [a, b] = [luminanceOf(one), luminanceOf(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

function luminanceOf(colour: string): number {
  const part = (at: number) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

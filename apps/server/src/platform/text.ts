/** As Unicode has it. To `\s` and `trim` a byte order mark is white space as well, which no reader sees in a name. */
const WHITE_SPACE = /\p{White_Space}+/gu
const AT_ENDS = /^ | $/g

/** White space of every kind, line ends among it, becomes single blanks; none is left at the ends. */
export function foldWhiteSpace(text: string): string {
  return text.replace(WHITE_SPACE, ' ').replace(AT_ENDS, '')
}

/** Optional free text: absent, empty and blank are the same. */
export function optionalText(text: string | undefined): string | null {
  return text === undefined ? null : foldWhiteSpace(text) || null
}

/** A language tag, which its format has found to be one, in its one spelling: `EN-us` is `en-US`. */
export function canonicalLocale(tag: string | undefined): string | null {
  return tag === undefined ? null : (Intl.getCanonicalLocales(tag)[0] ?? null)
}

/** An optional reference: absent and empty are the same; every other byte counts. */
export function optionalReference(text: string | undefined): string | null {
  return text || null
}

/** A letter of the flags of England, Scotland and Wales, which are a black flag and the name of the country in these. */
const TAG = '[\\u{e0000}-\\u{e007f}]'
/**
 * As many as name a part of a country, with the one that ends them: any more would be a text that no reader sees. And a look back for a flag
 * over any number of them costs the square of their number, of a text that a shop or a stranger wrote.
 */
const FLAG = `\\u{1f3f4}${TAG}{1,7}`

/**
 * Controls (C0, DEL, C1), line separators, the bidirectional marks and overrides that let a name on the approval page read differently
 * from what it is, and the characters without width or form that make two equal texts differ, or a name of nothing. Joiners
 * stay, scripts and emoji need them; so does the soft hyphen, which catalogs are full of: see `showsName`.
 */
const UNSEEN = `[\\p{Cc}\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb]|${TAG}(?<!${FLAG})`
const EACH_UNSEEN = new RegExp(UNSEEN, 'gu')

/** These, and runs of combining marks that paint over the lines around them: no script needs nine in a row. */
const UNCLEAN = new RegExp(`${UNSEEN}|\\p{M}{9}`, 'u')
const STACKED_MARKS = /(\p{M}{8})\p{M}+/gu

export function isCleanText(text: string): boolean {
  return !UNCLEAN.test(text)
}

/**
 * What Unicode counts as a symbol or a letter and no face paints: the blank of Braille, the place of an object that is
 * not there, the null notehead of music, and the blanks of hieroglyphs. It names no property for them.
 */
const BLANK_SYMBOLS = '\\u2800\\ufffc\\u{1d159}\\u{13441}\\u{13442}'
/** Joiners, fillers, selectors and the like, some of which are letters. */
const NO_INK = `[\\p{Default_Ignorable_Code_Point}${BLANK_SYMBOLS}]`
const PAINTED = new RegExp(`(?!${NO_INK})[\\p{L}\\p{N}\\p{S}\\p{P}]`, 'u')
/**
 * What a name is told by. A mark without a letter under it, what is for private use or not assigned, and punctuation are
 * none of it.
 */
export const NAMING = `(?!${NO_INK})[\\p{L}\\p{N}\\p{S}]`
const NAMES = new RegExp(NAMING, 'u')

/** Whether anything is seen of the text. */
export function showsSomething(text: string): boolean {
  return PAINTED.test(text)
}

/** Whether a person or a shop can be called by it. */
export function showsName(text: string): boolean {
  return NAMES.test(text)
}

/** The same text without what it may not have. */
export function cleaned(text: string): string {
  return text.replace(EACH_UNSEEN, '').replace(STACKED_MARKS, '$1')
}

/** `a•••@example.com`: a reader who knows the address knows it again, and no other learns it. Null for a text that is no address. */
export function maskedAddress(address: string | null): string | null {
  const [, first, host] = /^(.)[^@]*@([^@]+)$/u.exec(address ?? '') ?? []
  return first === undefined ? null : `${first}•••@${host}`
}

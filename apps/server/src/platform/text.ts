const WHITE_SPACE = /[\s\u0085]+/g

/** White space of every kind, line ends among it, becomes single blanks; none is left at the ends. */
export function foldWhiteSpace(text: string): string {
  return text.replace(WHITE_SPACE, ' ').trim()
}

/** Optional free text: absent, empty and blank are the same. */
export function optionalText(text: string | undefined): string | null {
  return text === undefined ? null : foldWhiteSpace(text) || null
}

/** An optional reference: absent and empty are the same; every other byte counts. */
export function optionalReference(text: string | undefined): string | null {
  return text || null
}

/**
 * Controls (C0, DEL, C1), line separators, the bidirectional marks and overrides that let a name on the approval page read
 * differently from what it is, the characters without width that make two equal texts differ, and runs of combining marks
 * that paint over the lines around them. Joiners stay, scripts and emoji need them; no script needs nine marks in a row.
 */
const UNCLEAN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069]|\p{M}{9}/u

export function isCleanText(text: string): boolean {
  return !UNCLEAN.test(text)
}

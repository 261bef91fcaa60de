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

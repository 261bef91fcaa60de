/** Languages in which every word of the page is there. */
const COMPLETE = ['en', 'de'] as const
export type Language = (typeof COMPLETE)[number]

interface Reads {
  language: Language
  /** How amounts and times are written: `de-AT`. */
  locale: string
}

/** The first that the reader asks for and that the page has: the words, the amounts and the signed sentence agree. */
export function readsOf(asked: readonly string[]): Reads {
  for (const locale of asked) {
    const language = COMPLETE.find((known) => known === locale.slice(0, 2).toLowerCase())
    if (language !== undefined) return { language, locale }
  }
  return { language: 'en', locale: 'en' }
}

export const { language, locale } = readsOf(navigator.languages)

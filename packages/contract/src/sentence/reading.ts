import { madeOnce } from '../made-once.ts'
import type { Reader } from './format.ts'
import { SENTENCE_LANGUAGES, type SentenceLanguage } from './version.ts'

/** The reader, and which of our languages they read. */
export interface Reading extends Reader {
  language: SentenceLanguage
}

/**
 * The first of these locales (BCP 47) whose language is one of ours; English where none is. A text that is no locale, or no time zone, is
 * passed over: an old browser names both as it likes, and no payment fails for it.
 */
export function readingOf(locales: readonly (string | null | undefined)[], timeZone?: string | null): Reading {
  for (const locale of locales) {
    const known = knownLocale(locale)
    if (known !== null) return { ...known, timeZone: knownZone(timeZone) }
  }
  return { locale: 'en', language: 'en', timeZone: knownZone(timeZone) }
}

function knownLocale(locale: string | null | undefined): Pick<Reading, 'locale' | 'language'> | null {
  if (locale === null || locale === undefined) return null
  try {
    // Without what it says of calendars and digits: the sentence is the same for all readers of a place.
    const { spoken, baseName } = placeOf(locale)
    const language = SENTENCE_LANGUAGES.find((each) => each === spoken)
    return language === undefined ? null : { locale: baseName, language }
  } catch {
    return null
  }
}

function knownZone(timeZone: string | null | undefined): string | null {
  if (timeZone === null || timeZone === undefined) return null
  try {
    return zoneOf(timeZone)
  } catch {
    return null
  }
}

const zoneOf = madeOnce((timeZone: string) => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone)
const placeOf = madeOnce((locale: string) => {
  const { language: spoken, baseName } = new Intl.Locale(locale)
  return { spoken, baseName }
})

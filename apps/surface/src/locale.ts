import { SENTENCE_LANGUAGES } from '@mintmark/contract/sentence/version'
import type { ReaderInfo } from '@mintmark/contract/wire/surface'
import { text } from './text/text.ts'

/** The reader's own format of amounts and dates, by the first of the browser's languages that it can write in. */
export function readerLocale(languages: readonly string[] = navigator.languages): string {
  return languages.find(isUsable) ?? text.locale
}

/** How the page is read: the sentence that is signed is made for it. */
export function readerInfo(): ReaderInfo {
  const isSpoken = (locale: string) => SENTENCE_LANGUAGES.some((language) => locale.split('-')[0] === language)
  const locale = navigator.languages.find(isSpoken) ?? readerLocale()
  return { locale, time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone }
}

/** Some systems name languages in ways that are no language tags; a formatter refuses them. */
function isUsable(language: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(language).length > 0
  } catch {
    return false
  }
}

/** A day far away, in the reader's format and time zone. */
export function dateText(moment: Date, locale: string = readerLocale()): string {
  return moment.toLocaleDateString(locale, DAY)
}
const DAY = { day: 'numeric', month: 'long', year: 'numeric' } as const

/** In the reader's format and time zone, which is named. */
export function momentText(moment: Date, locale: string = readerLocale()): string {
  const parts = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const
  return moment.toLocaleString(locale, parts)
}

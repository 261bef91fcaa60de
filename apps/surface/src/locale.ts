import type { ReaderInfo } from '@mintmark/contract/wire/surface'
import { texts } from './text/texts.ts'
import type { Plural } from './text/translation.ts'

/**
 * The locale of amounts and dates: the first of these (BCP 47) that is of the language that is spoken; else that
 * language as it would be read where the reader is, so that a dollar is told from theirs. What is no locale is passed
 * over: some systems name languages in other ways.
 */
export function localeFor(language: string, wanted: readonly (string | null)[]): string {
  const known = wanted.flatMap(localeOf)
  const [{ region } = {}] = known.map((locale) => locale.maximize())
  const spoken = known.find((locale) => locale.language === language)
  // Without what it says of calendars and digits, as the sentence that is signed.
  return spoken?.baseName ?? (region === undefined ? language : `${language}-${region}`)
}

export function localeOf(tag: string | null): Intl.Locale[] {
  try {
    return tag === null ? [] : [new Intl.Locale(tag)]
  } catch {
    return []
  }
}

let current = localeFor(texts.language, navigator.languages)

/** The reader's own format of amounts and dates. */
export const readerLocale = (): string => current

/** From here on the page is read so: as the session says, or else as the browser does. */
export function readAs(locale: string | null): void {
  current = localeFor(texts.language, [locale, ...navigator.languages])
}

/** How the page is read: the sentence that is signed is made for it. */
export function readerInfo(): ReaderInfo {
  return { locale: current, time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone }
}

/** A day far away, in the reader's format and time zone. */
export function dateText(moment: Date, locale: string = readerLocale()): string {
  return moment.toLocaleDateString(locale, DAY)
}

/** The same to the minute. */
export function dayAndTimeText(moment: Date, locale: string = readerLocale()): string {
  return moment.toLocaleString(locale, { ...DAY, ...TIME })
}

/** A moment of these days. The zone is the reader's, so it need not be named. */
export function momentText(moment: Date, locale: string = readerLocale()): string {
  return moment.toLocaleString(locale, { day: 'numeric', month: 'short', ...TIME })
}
const DAY = { day: 'numeric', month: 'long', year: 'numeric', calendar: 'gregory' } as const
const TIME = { hour: '2-digit', minute: '2-digit' } as const

export const numberText = (count: number | bigint): string => count.toLocaleString(current)

/** The form of a text for this number. */
export function formOf<Forms extends Plural>(forms: Forms, count: number): Forms['other'] {
  return forms[new Intl.PluralRules(current).select(count)] ?? forms.other
}

/** `in 15 minutes`, `in 59 seconds`: a long wait in seconds is hard to read. */
export function waitText(seconds: number): string {
  const format = new Intl.RelativeTimeFormat(current)
  return seconds > 90 ? format.format(Math.ceil(seconds / 60), 'minute') : format.format(seconds, 'second')
}

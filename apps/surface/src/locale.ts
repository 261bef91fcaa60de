import { text } from './text/text.ts'

/** The reader's own format of amounts and dates, by the first of the browser's languages that it can write in. */
export function readerLocale(languages: readonly string[] = navigator.languages): string {
  return languages.find(isUsable) ?? text.locale
}

/** Some systems name languages in ways that are no language tags; a formatter refuses them. */
function isUsable(language: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(language).length > 0
  } catch {
    return false
  }
}

import { SENTENCE_LANGUAGES } from '@mintmark/contract/sentence/version'
import { directionOf } from '@mintmark/ui/direction.ts'
import { localeOf, readAs } from './locale.ts'
import type { Texts } from './text/languages.ts'
import { speak, texts } from './text/texts.ts'

/** Longer would keep a cardholder waiting for a page that can be read in another language. */
const WORDS_WITHIN_MILLIS = 5_000

/**
 * From here on the page is read as the session says. A document comes in the browser's language: another one's words
 * are fetched, and where they do not come, the page goes on as it is, because no payment fails for it. True where
 * they came.
 */
export async function readIn(locale: string | null): Promise<boolean> {
  const [wanted] = localeOf(locale).map(({ language }) => SENTENCE_LANGUAGES.find((each) => each === language))
  const others = wanted === undefined || wanted === texts.language ? null : await fetchTexts(wanted)
  if (others !== null) {
    speak(others)
    const { documentElement: page } = document
    page.lang = others.language
    page.dir = directionOf(others.language)
  }
  readAs(locale)
  return others !== null
}

async function fetchTexts(language: string): Promise<Texts | null> {
  try {
    const signal = AbortSignal.timeout(WORDS_WITHIN_MILLIS)
    const response = await fetch(`/texts/${language}-${texts.version}.json`, { credentials: 'omit', signal })
    return response.ok ? await response.json() : null
  } catch {
    return null
  }
}

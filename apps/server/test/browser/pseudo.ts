import type { Page } from 'playwright-core'

/**
 * Languages that are not spoken: longer by two fifths, as German may be, and from right to left. Made of what the page
 * says in English. `both` at once shows what either does not fit in.
 */
export type Pseudo = 'long' | 'mirrored' | 'both'

/** The document that comes for this page is in that language from here on. */
export async function speakPseudo(page: Page, kind: Pseudo): Promise<void> {
  await page.route('**/s/**', async (route) => {
    const response = await route.fetch()
    const html = (await response.text()).replace(
      /(<script type="application\/json" id="texts">)(.*?)(?=<\/script>)/,
      (_, tag: string, data: string) => tag + JSON.stringify(translated(JSON.parse(data), kind)),
    )
    const body = kind === 'long' ? html : html.replace('lang="en" dir="ltr"', 'lang="ar" dir="rtl"')
    await route.fulfill({ response, body })
  })
}

const AS_THEY_ARE = new Set(['version', 'language', 'example'])

function translated(texts: unknown, kind: Pseudo): unknown {
  if (typeof texts === 'string') return CHANGES[kind](texts)
  if (Array.isArray(texts)) return texts.map((text) => translated(text, kind))
  return Object.fromEntries(
    Object.entries(texts as object).map(([key, text]) => [key, AS_THEY_ARE.has(key) ? text : translated(text, kind)]),
  )
}

/** Each word gets two fifths more of its own letters, so that the longest one does, too. */
const longer = (text: string) =>
  outsideHoles(text, (words) =>
    words.replaceAll(/\p{L}+/gu, (word) => word + word.slice(0, Math.ceil(word.length * 0.4))),
  )

const ARABIC = [...'ابتثجحخدذرزسشصضطظعغفقكلمنه']
const mirrored = (text: string) =>
  outsideHoles(text, (words) =>
    words.replaceAll(/[a-z]/gi, (letter) => ARABIC[letter.toLowerCase().charCodeAt(0) - 97] ?? letter),
  )

const CHANGES: Record<Pseudo, (text: string) => string> = {
  long: longer,
  mirrored,
  both: (text) => mirrored(longer(text)),
}

const outsideHoles = (text: string, change: (words: string) => string) =>
  text
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? part : change(part)))
    .join('')

/** Languages in which every word of the console is there. */
const COMPLETE = ['en', 'de'] as const
export type Language = (typeof COMPLETE)[number]

/** The first language that the reader asks for and that the console has. */
export function languageFor(asked: readonly string[]): Language {
  const wanted = asked.map((tag) => tag.slice(0, 2).toLowerCase())
  const [first] = wanted.flatMap((tag) => COMPLETE.filter((known) => known === tag))
  return first ?? 'en'
}

export const language = languageFor(navigator.languages)

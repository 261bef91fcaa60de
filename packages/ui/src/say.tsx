import type { ComponentChildren } from 'preact'
import { directionOf } from './direction.ts'

/** Exactly what is allowed, in one sentence. */
export function Say({ children, language, longest = 0 }: SayProps) {
  const direction = language === undefined ? undefined : directionOf(language)
  return (
    <p class="say" lang={language} dir={direction} style={{ '--length': String(longest) }}>
      {children}
    </p>
  )
}

interface SayProps {
  children: ComponentChildren
  language?: string
  /** Characters of its longest word: an amount is read whole or not at all. */
  longest?: number
}

/** In characters. A no-break space is a part of a word; between those of Japanese a line may end. */
export function longestWord(text: string): number {
  return Math.max(...text.split(/[ \n\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u).map(({ length }) => length))
}

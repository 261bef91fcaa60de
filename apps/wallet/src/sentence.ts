import { type Asked, sentenceIn } from '@mintmark/contract/sentence'
import { en } from '@mintmark/contract/sentence/words/en'

/** How the page's words are read, and so its amounts. */
export const READER = { locale: 'en', timeZone: null } as const

/** What would be signed, by the same words as the server's. */
export const sentenceText = (asked: Asked) => sentenceIn(en, asked, READER)

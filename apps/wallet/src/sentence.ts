import { type Asked, sentenceIn } from '@mintmark/contract/sentence'
import { en } from '@mintmark/contract/sentence/words/en'

/** What would be signed, by the same words as the server's. */
export const sentenceText = (asked: Asked) => sentenceIn(en, asked, { locale: 'en', timeZone: null })

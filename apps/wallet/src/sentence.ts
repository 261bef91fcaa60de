import { type Asked, readingOf, sentenceIn } from '@mintmark/contract/sentence'
import { de } from '@mintmark/contract/sentence/words/de'
import { en } from '@mintmark/contract/sentence/words/en'
import { language, locale } from './text/language.ts'

/** What would be signed, by the same words as the server's, which is told the same locale. */
export const sentenceText = (asked: Asked) => sentenceIn(language === 'de' ? de : en, asked, readingOf([locale]))

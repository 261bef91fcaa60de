import type { SentenceLanguage } from '@mintmark/contract/sentence/version'
import type { Translation } from '../src/text/translation.ts'
import { ar } from './text/ar.ts'
import { de } from './text/de.ts'
import { en } from './text/en.ts'
import { es } from './text/es.ts'
import { fr } from './text/fr.ts'
import { ja } from './text/ja.ts'

export type Words = typeof en

/** One that is missing, or that lacks a text, does not compile. */
const WORDS: Record<SentenceLanguage, Translation<Words>> = { en, de, fr, es, ja, ar }

/** All that the page says, as data. */
export const wordsIn = (language: SentenceLanguage) => ({ language, permissions: WORDS[language] as Words })

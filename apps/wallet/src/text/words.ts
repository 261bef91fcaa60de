import { de } from './de.ts'
import { en } from './en.ts'
import { language } from './language.ts'

/** The words that most screens have, and those of links, questions and limits. */
export const text: typeof en = language === 'de' ? de : en

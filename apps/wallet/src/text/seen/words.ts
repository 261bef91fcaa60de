import { language } from '../language.ts'
import { de } from './de.ts'
import { en } from './en.ts'

/** The words of what an owner sees: their money, permissions, cards and what their agents did. */
export const words: typeof en = language === 'de' ? de : en

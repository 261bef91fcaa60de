import { language } from '../language.ts'
import { de } from './de.ts'
import { en } from './en.ts'

/** The words of the screens before the sign-in. */
export const words: typeof en = language === 'de' ? de : en

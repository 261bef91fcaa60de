import { language } from '../language.ts'
import { de } from './de.ts'
import { en } from './en.ts'

/** Words of the recovery of an owner, and of what it means for their other devices. */
export const words: typeof en = language === 'de' ? de : en

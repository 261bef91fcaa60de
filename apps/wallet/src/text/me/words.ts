import { language } from '../language.ts'
import { de } from './de.ts'
import { en } from './en.ts'

/** Words of an owner's passkeys and devices. */
export const words: typeof en = language === 'de' ? de : en

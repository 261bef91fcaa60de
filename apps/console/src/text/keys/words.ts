import { language } from '../language.ts'
import { de } from './de.ts'
import { en } from './en.ts'

export const words: typeof en = language === 'de' ? de : en

import type { StoryTable } from '../../payments/story.ts'
import { language } from '../language.ts'
import { de } from './de.ts'
import { en } from './en.ts'

/** What became of a payment, in words. */
export const story: StoryTable = language === 'de' ? de : en

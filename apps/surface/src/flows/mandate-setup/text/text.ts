import { en } from './en.ts'

/** What another language must say too. */
type MandateText = typeof en

export const text: MandateText = en

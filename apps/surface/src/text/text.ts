import { texts } from './texts.ts'

/** The words that every kind of session shares. A screen names what it says, never how. */
export const text = texts.page

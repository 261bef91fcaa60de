import { en } from './en.ts'

/** What another language must say too. */
export type Text = typeof en

/** The language of the page. There is one today; a screen names what it says, never how. */
export const text: Text = en

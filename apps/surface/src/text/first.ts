import { textsIn } from './languages.ts'

/** What is said first. The build takes `first-of-document.ts` instead: a document brings one language, as data. */
export const first = structuredClone(textsIn('en'))

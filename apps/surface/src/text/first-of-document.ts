import type { Texts } from './languages.ts'

/** The words of the document that the script came with. */
export const first: Texts = JSON.parse(document.getElementById('texts')?.textContent ?? '')

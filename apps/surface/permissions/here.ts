import type { Words } from './words.ts'

/** The words of the document that the script came with. */
const { permissions }: { permissions: Words } = JSON.parse(document.getElementById('texts')?.textContent ?? '')
export const words = permissions

import { openBox, sealBox } from './sealed-box.ts'
import type { Secret } from './secret.ts'

/** Encrypts a text under a key of this program, for a column of text. It opens in its place only. */
export function sealText(key: Secret<Buffer>, place: readonly string[], text: string): string {
  return sealBox(key.reveal(), Buffer.from(text, 'utf8'), contextOf(place)).toString('base64')
}

/** Decrypts what `sealText` made. Throws when key, place or any byte is another. */
export function openText(key: Secret<Buffer>, place: readonly string[], sealed: string): string {
  return openBox(key.reveal(), Buffer.from(sealed, 'base64'), contextOf(place)).toString('utf8')
}

/** As JSON: no two places have the same text. */
function contextOf(place: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(place), 'utf8')
}

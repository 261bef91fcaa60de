import { createHash } from 'node:crypto'
import { canonicalJson, type JsonValue } from '../platform/canonical-json.ts'

/** The one text of terms: equal terms have equal bytes. A TypeError for a value that has no canonical form. */
export function textOf(terms: JsonValue): string {
  return canonicalJson(terms)
}

/** Hex SHA-256 of the text, as evidence and receipts name it. */
export function termsHash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

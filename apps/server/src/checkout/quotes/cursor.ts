import { createHash } from 'node:crypto'

/** A shop that has more of a search, and where its next page begins; null: its first one. */
export interface Place {
  shopId: string
  cursor: string | null
}

/** What is looked for: a cursor is good for the same words at the same shops. */
export interface SearchScope {
  query: string | null
  shopId: string | null
}

/** A shop with a longer one has no second page here. */
export const MAX_FOREIGN_LENGTH = 512

/** Nothing in it is secret or believed: a caller who makes one up asks a shop for one of its pages, and no more. */
export function encodeCursor(scope: SearchScope, places: readonly Place[]): string {
  const content = [digest(scope), places.map(({ shopId, cursor }) => [shopId, cursor])]
  return Buffer.from(JSON.stringify(content), 'utf8').toString('base64url')
}

/** Undefined: it is no cursor of this search. */
export function decodeCursor(scope: SearchScope, text: string): Place[] | undefined {
  const content = parsed(text)
  if (!Array.isArray(content) || content.length !== 2 || content[0] !== digest(scope)) return undefined
  const places: unknown = content[1]
  if (!Array.isArray(places) || !places.every(isPlace)) return undefined
  // A page asks all its shops at the same time: one that a caller has written in twenty times would be asked twenty times.
  if (new Set(places.map(([shopId]) => shopId)).size < places.length) return undefined
  return places.map(([shopId, cursor]) => ({ shopId, cursor }))
}

function isPlace(value: unknown): value is [string, string | null] {
  if (!Array.isArray(value) || value.length !== 2) return false
  const [shopId, cursor] = value
  return (
    typeof shopId === 'string' &&
    (cursor === null || (typeof cursor === 'string' && cursor.length <= MAX_FOREIGN_LENGTH))
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

function digest({ query, shopId }: SearchScope): string {
  return createHash('sha256')
    .update(JSON.stringify([query, shopId]))
    .digest('base64url')
    .slice(0, 11)
}

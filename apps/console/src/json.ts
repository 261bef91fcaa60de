/** What a piece of JSON is, so that it can be told from the others at sight. */
export type JsonKind = 'name' | 'text' | 'number' | 'word' | 'sign'
export interface JsonPiece {
  kind: JsonKind
  text: string
}

const PIECES = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g

/** The formatted text in pieces: together they are `JSON.stringify(value, null, 2)` again. */
export function jsonPieces(value: unknown): JsonPiece[] {
  const text = JSON.stringify(value, null, 2)
  const pieces: JsonPiece[] = []
  let end = 0
  for (const match of text.matchAll(PIECES)) {
    if (match.index > end) pieces.push({ kind: 'sign', text: text.slice(end, match.index) })
    pieces.push(...piecesOf(match[0], match[1]))
    end = match.index + match[0].length
  }
  return end < text.length ? [...pieces, { kind: 'sign', text: text.slice(end) }] : pieces
}

function piecesOf(found: string, colon: string | undefined): JsonPiece[] {
  if (colon !== undefined) {
    return [
      { kind: 'name', text: found.slice(0, -colon.length) },
      { kind: 'sign', text: colon },
    ]
  }
  if (found.startsWith('"')) return [{ kind: 'text', text: found }]
  return [{ kind: /^[a-z]/.test(found) ? 'word' : 'number', text: found }]
}

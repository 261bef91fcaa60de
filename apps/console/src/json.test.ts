import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonPieces } from './json.ts'

test('the pieces of any value are its text again', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = jsonPieces(value)
        .map((piece) => piece.text)
        .join('')
      expect(text).toBe(JSON.stringify(value, null, 2))
    }),
  )
})

test('each piece is what it looks like', () => {
  const kinds = jsonPieces({ a: 'say "b": 1', n: -12.5e3, t: true, z: null }).filter(({ kind }) => kind !== 'sign')
  expect(kinds.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'name "a"',
    String.raw`text "say \"b\": 1"`,
    'name "n"',
    'number -12500',
    'name "t"',
    'word true',
    'name "z"',
    'word null',
  ])
})

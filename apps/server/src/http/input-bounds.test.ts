import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { cutToBounds } from './input-bounds.ts'

// Guarantee: what is far too long is refused by its length, and reaches no pattern and no format: these see texts of 64
// KiB otherwise, and some of them take seconds for one.

const Name = Type.String({ maxLength: 3, pattern: '^a+b$' })
const Body = Type.Object(
  {
    name: Name,
    names: Type.Optional(Type.Array(Name, { maxItems: 2 })),
    part: Type.Optional(Type.Union([Name, Type.Integer()])),
    either: Type.Optional(Type.Union([Name, Type.String({ maxLength: 9 })])),
    inner: Type.Optional(Type.Union([Type.Object({ name: Name }), Type.Array(Type.Object({ name: Name }))])),
  },
  { additionalProperties: false },
)

const long = 'a'.repeat(7)
const words = 'must have at most 3 characters'

test.each([
  ['of an object', { name: long }, { name: words }, { name: '' }],
  ['of an array', { name: 'ab', names: ['ab', long] }, { 'names[1]': words }, { name: 'ab', names: ['ab', ''] }],
  ['of a union', { name: 'ab', part: long }, { part: words }, { name: 'ab', part: '' }],
  [
    'deep inside',
    { name: 'ab', inner: [{ name: long }] },
    { 'inner[0].name': words },
    { name: 'ab', inner: [{ name: '' }] },
  ],
])('a text %s that is far too long is named and taken out', (_, body, found, left) => {
  expect(cutToBounds(Body, body)).toEqual(found)
  expect(body).toEqual(left)
})

test.each([
  ['may be of characters with two units each', { name: '\u{1f3f4}'.repeat(3) }],
  ['is a little too long, which the validator says', { name: 'aaaa' }],
  ['fits one of two forms', { name: 'ab', either: long }],
  ['is no text', { name: 7 }],
])('what %s stays', (_, body) => {
  const before = structuredClone(body)
  expect(cutToBounds(Body, body)).toEqual({})
  expect(body).toEqual(before)
})

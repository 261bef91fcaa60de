import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codePoint } from '../../test/code-point.ts'
import { canonicalJson, type JsonValue } from './canonical-json.ts'

// Guarantee: equal values have equal bytes, and nothing that JSON cannot hold has any.

describe('canonical JSON', () => {
  const table: [value: JsonValue, text: string][] = [
    [null, 'null'],
    [true, 'true'],
    [0, '0'],
    [-9007199254740991, '-9007199254740991'],
    ['', '""'],
    ['€ / "quoted" \\ \u0000\u001f\n\u2028', '"€ / \\"quoted\\" \\\\ \\u0000\\u001f\\n\u2028"'],
    [[], '[]'],
    [[1, [null, 'a']], '[1,[null,"a"]]'],
    [{}, '{}'],
    [{ b: 1, a: { d: [], c: '' } }, '{"a":{"c":"","d":[]},"b":1}'],
    // The order of RFC 8785, section 3.2.3: by UTF-16 code units, so U+1F600 (0xD83D…) comes before U+FB33.
    [
      { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 },
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}',
    ],
    [JSON.parse('{"__proto__":1,"a":2}'), '{"__proto__":1,"a":2}'],
  ]
  it.each(table)('%j', (value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic
  const refused: [what: string, value: unknown][] = [
    ['undefined', undefined],
    ['a member that is undefined', { a: undefined }],
    ['a hole in a list', new Array(1)],
    ['a fraction', 1.5],
    ['an unsafe integer', 2 ** 53],
    ['not a number', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['minus zero, which comes back as zero', -0],
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['a map', new Map([['a', 1]])],
    ['a function', () => 1],
    ['a symbol', Symbol('a')],
    ['a lone surrogate', '\ud800'],
    ['a name with a lone surrogate', { '\udc00': 1 }],
    ['a cycle', cyclic],
  ]
  it.each(refused)('refuses %s', (_, value) => {
    expect(() => canonicalJson(value as JsonValue)).toThrow(TypeError)
  })

  const scalar = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger().map((number) => number + 0),
    fc.string({ unit: codePoint }),
  )
  const json = fc.letrec<{ any: JsonValue }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.array(tie('any'), { maxLength: 5 }),
      fc.dictionary(fc.string({ unit: codePoint }), tie('any'), { maxKeys: 5, noNullPrototype: true }),
    ),
  })).any

  it('comes back from JSON.parse as it was', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value)
      }),
    )
  })

  it('does not depend on the order of members', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
      }),
    )
  })
})

/** The same value with the members of every object in opposite order. */
function reversed(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(reversed)
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, reversed(item)]),
  )
}

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PublicError } from '../platform/errors.ts'
import { MAX_DEPTH } from '../platform/json-scanner.ts'
import { parseStrictJson } from '../platform/strict-json.ts'
import { checkContentHeaders } from './content-headers.ts'

/** The value, or the details of the refusal. */
function read(text: string | Buffer): { value: unknown } | { details: unknown } {
  try {
    return { value: parseStrictJson(Buffer.from(text as string)) }
  } catch (error) {
    if (!(error instanceof PublicError) || error.code !== 'VAL_2001' || error.status !== 400) throw error
    return { details: error.details }
  }
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('what JSON.parse would let through is refused, with the place', () => {
  const cases: [string, string, string][] = [
    ['{"a":1,"a":2}', 'a', 'is given twice'],
    ['{"a":1,"\\u0061":2}', 'a', 'is given twice'],
    ['{"a":{"b":[0,1,{"c":1,"c":1}]}}', 'a.b[2].c', 'is given twice'],
    ['[{"":1,"":1}]', '[0]', 'is given twice'],
    ['{"é":1,"\\u00e9":1}', 'é', 'is given twice'],
    ['{"__proto__":1}', '__proto__', 'is not an allowed key'],
    ['{"a":{"\\u005f_proto__":1}}', 'a.__proto__', 'is not an allowed key'],
    ['{"constructor":{"prototype":1}}', 'constructor', 'is not an allowed key'],
    ['{"a":[{"prototype":1}]}', 'a[0].prototype', 'is not an allowed key'],
    ['{"a":"x\\u0000"}', 'a', 'must not contain U+0000'],
    ['{"a\\u0000":1}', 'a\u0000', 'must not contain U+0000'],
    ['"\\\\\\u0000"', 'body', 'must not contain U+0000'],
    ['{"a":["\\ud800"]}', 'a[0]', 'must not contain half of a surrogate pair'],
    ['{"a":"\\udc00\\ud800"}', 'a', 'must not contain half of a surrogate pair'],
    ['{"a":"\\ud83d\\u0041"}', 'a', 'must not contain half of a surrogate pair'],
    [nested(MAX_DEPTH + 1), '[0]'.repeat(MAX_DEPTH), 'is nested deeper than 32 levels'],
    ['\ufeff{}', 'body', 'must not start with a byte order mark'],
    ['{"a":"', 'body', 'is not valid JSON'],
    ['{"a":1,}', 'body', 'is not valid JSON'],
    ["{'a':1}", 'body', 'is not valid JSON'],
    ['{"a":"\u0000"}', 'body', 'is not valid JSON'],
    ['NaN', 'body', 'is not valid JSON'],
    ['{} {}', 'body', 'is not valid JSON'],
    [']', 'body', 'is not valid JSON'],
  ]
  test.each(cases)('%j', (text, path, message) => {
    expect(read(text)).toEqual({ details: { [path]: message } })
  })

  test('bytes that are not UTF-8', () => {
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xfe, 0xff, 0, 0x31], [0x22, 0xc3, 0x22]]) {
      expect(read(Buffer.from(bytes))).toEqual({ details: { body: 'is not valid UTF-8' } })
    }
  })
})

test('what is unusual but right is accepted', () => {
  const texts = [
    '{"a":1,"A":2,"a ":3}',
    '"\\\\u0000"',
    '"\\ud83d\\udcb3"',
    '"💳"',
    '{"a":"__proto__"}',
    '{"toString":1}',
  ]
  for (const text of [...texts, nested(MAX_DEPTH), ' [ 1 , "]" , "}" ] ', '{"a":{"a":{"a":1}},"b":{"a":1}}', '0']) {
    expect(read(text)).toEqual({ value: JSON.parse(text) })
  }
  expect(read('')).toEqual({ value: undefined })
})

test('64 KiB of anything are judged in linear time', () => {
  const size = 64 * 1024
  const hostile = [
    '"'.repeat(size),
    '\\'.repeat(size),
    '['.repeat(size),
    `"${'\\"'.repeat(size / 2 - 1)}"`,
    `[${'"",'.repeat(size / 3)}"\\n"]`,
    `{${Array.from({ length: size / 8 }, (_, at) => `"${at}":1`).join()}}`,
    `["${'\\u0061'.repeat(size / 6)}"]`,
  ]
  // Quadratic work would take minutes, and a test has seconds.
  for (const text of hostile) read(text)
})

const isJson = (type: string): boolean => {
  try {
    checkContentHeaders({ 'content-length': '2', 'content-type': type })
    return true
  } catch (error) {
    if (error instanceof PublicError && error.status === 415) return false
    throw error
  }
}

test.each([
  ['application/json', true],
  ['Application/JSON ', true],
  ['application/json;', true],
  ['application/json ; charset=utf-8', true],
  ['application/json;\tcharset="UTF-8" ; ', true],
  ['application/json; charset=utf-8 x', false],
  ['application/json;; charset=utf-8', false],
  ['application/json;;', false],
  ['application/json; charset=latin1', false],
  ['application/json charset=utf-8', false],
  ['application/jsonp', false],
  ['text/plain', false],
])('the type %j of a body is JSON in UTF-8: %s', (type, expected) => expect(isJson(type)).toBe(expected))

test('a type of any length is judged in linear time', () => {
  const blanks = ' \t'.repeat(25_000)
  // Quadratic work would take minutes, and a test has seconds.
  for (const end of ['x', '; x', '; charset=utf-8 x', '; charset=utf-8 ; x']) {
    expect(isJson(`application/json${blanks}${end.replaceAll(' ', blanks)}`)).toBe(false)
  }
})

/** A second reading of the rules, plain and slow: a recursive parser over the grammar of RFC 8259. */
function naive(text: string): boolean {
  let at = 0
  const space = () => {
    while (/[ \t\n\r]/.test(text[at] ?? '')) at += 1
  }
  const fail = (): never => {
    throw new SyntaxError(`at ${at}`)
  }
  const take = (pattern: RegExp): string => {
    const found = new RegExp(pattern.source, 'y')
    found.lastIndex = at
    const match = found.exec(text)?.[0] ?? fail()
    at += match.length
    return match
  }
  const string = (): string => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these.
    const decoded = JSON.parse(take(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/)) as string
    return decoded.includes('\u0000') || !decoded.isWellFormed() ? fail() : decoded
  }
  const list = (end: string, entry: () => void) => {
    at += 1
    space()
    if (text[at] === end) {
      at += 1
      return
    }
    for (;;) {
      entry()
      if (text[at] === end) break
      take(/,/)
    }
    at += 1
  }
  const value = (depth: number): void => {
    space()
    if (text[at] === '{' || text[at] === '[') {
      if (depth === MAX_DEPTH) fail()
      const keys = new Set<string>()
      if (text[at] === '[') list(']', () => value(depth + 1))
      else
        list('}', () => {
          space()
          const key = string()
          if (keys.has(key) || ['__proto__', 'constructor', 'prototype'].includes(key)) fail()
          keys.add(key)
          space()
          take(/:/)
          value(depth + 1)
        })
    } else if (text[at] === '"') string()
    else take(/true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/)
    space()
  }
  try {
    value(0)
    return at === text.length
  } catch {
    return false
  }
}

test('agrees with the naive reading on whatever text', () => {
  const piece = fc.constantFrom(
    ...['{', '}', '[', ']', ',', ':', '"', '\\', ' ', '0', '1', '-', 'null', 'true', '"a"', '"b"', '"\\u0061"'],
    ...['"__proto__"', '\\u', '\\ud83d', '\\udcb3', '\\u0000', '"a":', '{"a":1}', 'constructor', '\n', 'é', '💳'],
  )
  const soup = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''))
  // Valid JSON with one piece put in or cut out comes closer to the border than soup does.
  const bent = fc.tuple(fc.jsonValue(), fc.nat(), piece, fc.nat(3)).map(([value, place, extra, cut]) => {
    const text = JSON.stringify(value)
    const from = place % (text.length + 1)
    return text.slice(0, from) + extra + text.slice(from + cut)
  })
  const wrapped = fc.tuple(fc.nat(40), fc.jsonValue()).map(([depth, value]) => {
    return '[{"k":'.repeat(depth) + JSON.stringify(value) + '}]'.repeat(depth)
  })
  const samples = fc.oneof(soup, bent, wrapped, fc.json(), fc.string({ unit: 'binary' }))
  fc.assert(
    fc.property(samples, (text) => {
      // A lone surrogate cannot be written as UTF-8 at all; an empty body is no body.
      fc.pre(text.isWellFormed() && text !== '' && !text.startsWith('\ufeff'))
      const answer = read(text)
      expect('value' in answer).toBe(naive(text))
      if ('value' in answer) expect(answer.value).toEqual(JSON.parse(text))
    }),
    { numRuns: 5_000 },
  )
})

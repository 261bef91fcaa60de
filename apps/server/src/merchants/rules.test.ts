import { describe, expect, test } from 'vitest'
import { PublicError } from '../platform/errors.ts'
import { checkSettings, originProblem } from './rules.ts'

const OK = null

describe('originProblem', () => {
  test.each<[string, string | null, string | null]>([
    // Origin, what the sandbox says, what production says.
    ['https://shop.example', OK, OK],
    ['https://shop.example:8443', OK, OK],
    ['https://xn--mnchen-3ya.de', OK, OK],
    ['https://a-b.c-d.example', OK, OK],
    ['http://localhost:5173', OK, 'https origin'],
    ['http://localhost', OK, 'https origin'],
    ['http://localhost:*', OK, 'https origin'],
    ['http://127.0.0.1:*', OK, 'https origin'],
    ['https://localhost:3000', OK, 'https origin'],
    ['https://localhost:*', OK, 'https origin'],
    ['http://shop.example', 'must be https', 'https origin'],
    ['http://192.168.1.4:3000', 'must be https', 'https origin'],
    ['http://localhost.example', 'must be https', 'https origin'],
    ['https://shop.example:*', 'open only on localhost', 'open only on localhost'],
    ['https://shop.example:443', 'written as "https://shop.example"', 'written as "https://shop.example"'],
    ['http://localhost:80', 'written as "http://localhost"', 'https origin'],
    ['http://localhost:99999', 'valid host and port', 'https origin'],
    ['https://0x7f.1', 'written as "https://127.0.0.1"', 'written as'],
    ['https://shop..example-', 'must be an origin', 'must be an origin'],
    ['https://x.localhost', OK, 'public host'],
    ['https://10.0.0.1', OK, 'public host'],
    ['https://intranet', OK, 'public host'],
    ['https://a..b', OK, 'public host'],
    ['https://-a.example', 'must be an origin', 'must be an origin'],
    ['https://a.-b.example', OK, 'public host'],
    ['https://xn--a.example', OK, 'public host'],
    ['https://shop.example/', 'must be an origin', 'must be an origin'],
    ['https://shop.example/path', 'must be an origin', 'must be an origin'],
    ['https://shop.example?q', 'must be an origin', 'must be an origin'],
    ['https://shop.example#f', 'must be an origin', 'must be an origin'],
    ['https://user@shop.example', 'must be an origin', 'must be an origin'],
    ['https://Shop.example', 'must be an origin', 'must be an origin'],
    ['HTTPS://shop.example', 'must be an origin', 'must be an origin'],
    ['https://münchen.de', 'must be an origin', 'must be an origin'],
    ['https://*.example', 'must be an origin', 'must be an origin'],
    ['https://*', 'must be an origin', 'must be an origin'],
    ['*', 'must be an origin', 'must be an origin'],
    ['null', 'must be an origin', 'must be an origin'],
    ['', 'must be an origin', 'must be an origin'],
    ['shop.example', 'must be an origin', 'must be an origin'],
    ['https://', 'must be an origin', 'must be an origin'],
    ['https://[::1]:3000', 'must be an origin', 'must be an origin'],
    ['javascript://shop.example', 'must be an origin', 'must be an origin'],
    ['file:///etc', 'must be an origin', 'must be an origin'],
    // Each of these would add a source or a directive to the frame-ancestors header.
    ['https://a.example;script-src', 'must be an origin', 'must be an origin'],
    ['https://a.example,b.example', 'must be an origin', 'must be an origin'],
    ['https://a.example https://b.example', 'must be an origin', 'must be an origin'],
    [`https://a.example'none'`, 'must be an origin', 'must be an origin'],
    ['https://a.example\nhttps://b.example', 'must be an origin', 'must be an origin'],
    ['https://a.example\n', 'must be an origin', 'must be an origin'],
    [' https://a.example', 'must be an origin', 'must be an origin'],
  ])('%j', (origin, sandbox, production) => {
    for (const [environment, expected] of [
      ['sandbox', sandbox],
      ['production', production],
    ] as const) {
      const problem = originProblem(origin, environment)
      if (expected === null) expect(problem).toBeNull()
      else expect(problem).toContain(expected)
    }
  })
})

describe('checkSettings', () => {
  function details(settings: Parameters<typeof checkSettings>[0]): string[] {
    try {
      checkSettings(settings, 'production')
      return []
    } catch (error) {
      if (error instanceof PublicError && error.code === 'VAL_2001') return Object.keys(error.details ?? {})
      throw error
    }
  }

  test.each<[string, Parameters<typeof checkSettings>[0], string[]]>([
    ['nothing', {}, []],
    ['unlimited, no profile', { sessionAllowance: null, networkProfile: null }, []],
    [
      'good values',
      { name: 'Ünïcode & Söhne', allowedOrigins: [], networkProfile: 'simulator', sessionAllowance: 0 },
      [],
    ],
    ['blank name', { name: '  ' }, ['name']],
    ['name of which nothing is seen', { name: '\u3164\u2800' }, ['name']],
    ['name of a mark alone', { name: '\u0301' }, ['name']],
    ['long name', { name: 'x'.repeat(101) }, ['name']],
    ['line break in the name', { name: 'a\nb' }, ['name']],
    ['NUL in the name', { name: 'a\u0000b' }, ['name']],
    ['lone surrogate in the name', { name: 'a\ud800' }, ['name']],
    ['right-to-left override in the name', { name: 'shop\u202epohs' }, ['name']],
    ['bad origins', { allowedOrigins: ['https://a.example', 'x', 'y'] }, ['allowed_origins[1]', 'allowed_origins[2]']],
    [
      'too many origins',
      { allowedOrigins: Array.from({ length: 51 }, (_, n) => `https://a${n}.example`) },
      ['allowed_origins'],
    ],
    ['bad profile', { networkProfile: 'No Spaces' }, ['network_profile']],
    ['negative allowance', { sessionAllowance: -1 }, ['session_allowance']],
    ['fraction of a session', { sessionAllowance: 1.5 }, ['session_allowance']],
    ['NaN', { sessionAllowance: Number.NaN }, ['session_allowance']],
    ['beyond exact numbers', { sessionAllowance: 2 ** 53 }, ['session_allowance']],
    ['unknown status', { status: 'gone' as 'active' }, ['status']],
    ['several', { name: '', sessionAllowance: -1 }, ['name', 'session_allowance']],
  ])('%s', (_name, settings, expected) => {
    expect(details(settings)).toEqual(expected)
  })
})

import { ENDPOINT_STATES, PAUSE_REASONS } from '@mintmark/contract'
import { describe, expect, test } from 'vitest'
import { failureOf, isEcho, pauseReasonOf, type Standing, stateOf } from './rules.ts'

const at = new Date('2026-11-22T12:00:00.000Z')
const standing = (changes: Partial<Standing>): Standing => ({
  enabled: true,
  verifiedAt: at,
  disabledReason: null,
  circuitUntil: null,
  revision: 1,
  ...changes,
})

const CASES: [string, Partial<Standing>, string, string | null][] = [
  ['nothing is in the way', {}, 'active', null],
  ['it rests', { circuitUntil: at }, 'circuit_open', 'circuit_open'],
  ['its owner paused it', { enabled: false }, 'paused', 'not_enabled'],
  ['its owner paused it while it rested', { enabled: false, circuitUntil: at }, 'paused', 'not_enabled'],
  ['it is new', { enabled: false, verifiedAt: null }, 'unverified', 'unverified'],
  ['its URL was changed', { enabled: false, verifiedAt: null, revision: 2 }, 'unverified', 'url_changed'],
  ['it answered 410', { disabledReason: 'gone' }, 'disabled', 'gone'],
  [
    'its address is forbidden',
    { disabledReason: 'forbidden_address', verifiedAt: null, enabled: false, revision: 2 },
    'disabled',
    'forbidden_address',
  ],
]

describe('how an endpoint stands', () => {
  test.each(CASES)('%s', (_when, changes, state, reason) => {
    expect([stateOf(standing(changes)), pauseReasonOf(standing(changes))]).toEqual([state, reason])
  })

  test('every state and every reason comes of something', () => {
    expect(new Set(CASES.map(([, , state]) => state))).toEqual(new Set(ENDPOINT_STATES))
    expect(new Set(CASES.flatMap(([, , , reason]) => reason ?? []))).toEqual(new Set(PAUSE_REASONS))
  })
})

describe('an echo', () => {
  const NONCE = 'aZ09-_aZ09-_aZ09-_aZ09-_aZ09-_aZ09-_aZ09-_x'
  test.each<[string, string, boolean]>([
    ['as it is', `{"challenge":"${NONCE}"}`, true],
    ['with blanks', ` {\r\n\t"challenge" : "${NONCE}"\n}\n`, true],
    ['4,096 bytes of it', `{"challenge":"${NONCE}"${' '.repeat(4096 - 16 - NONCE.length)}}`, true],
    ['the nonce alone', NONCE, false],
    ['as a JSON text', `"${NONCE}"`, false],
    ['another nonce', `{"challenge":"${NONCE.slice(1)}x"}`, false],
    ['a longer nonce', `{"challenge":"${NONCE}x"}`, false],
    ['another key', `{"Challenge":"${NONCE}"}`, false],
    ['two keys, the last one right', `{"challenge":"x","challenge":"${NONCE}"}`, false],
    ['two keys, both right', `{"challenge":"${NONCE}","challenge":"${NONCE}"}`, false],
    ['another field beside it', `{"challenge":"${NONCE}","ok":true}`, true],
    ['among others', `{"ok":true,"data":{"at":[1]},"challenge":"${NONCE}","message":"thanks"}`, true],
    ['the request, repeated', `{"type":"x","data":{"challenge":"${NONCE}"},"challenge":"${NONCE}"}`, false],
    ['the request as a text beside it', `{"challenge":"${NONCE}","got":"{\\"challenge\\":\\"${NONCE}\\"}"}`, false],
    ['two keys among others', `{"challenge":"x","ok":true,"challenge":"${NONCE}"}`, false],
    ['inside another object', `{"data":{"challenge":"${NONCE}"}}`, false],
    ['in a list', `[{"challenge":"${NONCE}"}]`, false],
    ['inside a longer text', `{"got":"{\\"challenge\\":\\"${NONCE}\\"}"}`, false],
    ['in a page', `<html>{"challenge":"${NONCE}"}</html>`, false],
    ['two documents', `{"challenge":"${NONCE}"}{"challenge":"${NONCE}"}`, false],
    ['a comma at its end', `{"challenge":"${NONCE}",}`, false],
    ['cut off', `{"challenge":"${NONCE}"`, false],
    ['with a byte order mark', `\uFEFF{"challenge":"${NONCE}"}`, false],
    ['nothing', '', false],
  ])('%s', (_what, text, expected) => {
    expect(isEcho({ body: Buffer.from(text), isComplete: true }, NONCE)).toBe(expected)
  })

  test('that did not come whole is none, whatever came', () => {
    expect(isEcho({ body: Buffer.from(`{"challenge":"${NONCE}"}`), isComplete: false }, NONCE)).toBe(false)
  })
})

test('2xx is an acknowledgement, all else has a word', () => {
  const answered = (status: number) => failureOf({ kind: 'answered', status })
  expect([200, 204, 299, 300, 301, 399, 400, 410, 500, 599].map(answered)).toEqual([
    null,
    null,
    null,
    'redirect',
    'redirect',
    'redirect',
    'status',
    'gone',
    'status',
    'status',
  ])
  expect(failureOf({ kind: 'failed', category: 'tls' })).toBe('tls')
})

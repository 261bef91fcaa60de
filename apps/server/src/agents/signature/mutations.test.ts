import { AGENT_SIGNATURE_FAILURES, type AgentSignatureFailure } from '@mintmark/contract/agent-signature'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judged } from './testing/judged.ts'
import { headerOf, signed, withHeader } from './testing/signed.ts'
import type { SignedMessage } from './verify.ts'

// Guarantee: a request that was changed anywhere in what is signed is not its agent's any more.
// AGENT_MUTATIONS=1000000 tries so many changes, in a few minutes.

const RUNS = Number(process.env.AGENT_MUTATIONS) || 20_000
const SAMPLED = 5_000

const HEADERS = ['Signature-Input', 'Signature', 'Content-Digest']
const PARTS = ['method', 'authority', 'rawTarget', 'body', ...HEADERS]

const REQUESTS = [
  signed(),
  signed({ rawTarget: '/v1/mandates/mdt_1/charges' }),
  signed({ rawTarget: '/v1/mandates?customer_id=a%7Eb+c&standing_only=true', method: 'GET' }),
  signed({ method: 'GET', authority: '127.0.0.1:8080', rawTarget: '/v1/agents/me' }),
  signed({ body: Buffer.from(JSON.stringify({ products: 'x'.repeat(300) })), parameters: { alg: '"ed25519"' } }),
]

const changedText = fc.tuple(
  fc.constantFrom('replace', 'insert', 'remove', 'swap', 'case', 'double', 'encode'),
  fc.nat(),
  fc.nat(12),
  fc.oneof(
    fc.constantFrom(
      ...'"=;:,() @?%+/.-_~0aAzZ',
      '\t',
      '\n',
      '\r\n',
      '\0',
      'é',
      ';a=1',
      ', b=:AAAA:',
      '%2F',
      '..',
      ':80',
    ),
    fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 3 }),
  ),
)
type Change = typeof changedText extends fc.Arbitrary<infer T> ? T : never

const mutation = fc.tuple(
  fc.nat(REQUESTS.length - 1),
  fc.constantFrom(...PARTS),
  fc.oneof(
    { weight: 20, arbitrary: changedText },
    { weight: 1, arbitrary: fc.constantFrom('doubled', 'gone') },
    { weight: 2, arbitrary: fc.nat(REQUESTS.length - 1) },
  ),
)
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never

const RIGHT = new Set(REQUESTS.map(meaningOf))

test(`${RUNS} changes of right requests, all refused`, { timeout: 1_800_000 }, () => {
  for (const request of REQUESTS) expect(judged(request)).toBeUndefined()
  fc.assert(
    fc.property(mutation, (made) => {
      const reason = reasonOf(made)
      if (reason === undefined || ![...AGENT_SIGNATURE_FAILURES, 'no change'].includes(reason))
        throw new Error('It was taken.')
    }),
    { numRuns: RUNS },
  )
})

test('a change comes to most checks, and most changes are some', () => {
  // The same ones each time: what a random sample comes to is no verdict.
  const reasons = fc.sample(mutation, { numRuns: SAMPLED, seed: 1 }).map(reasonOf)
  expect(reasons).toEqual(
    expect.arrayContaining([
      'signature_missing',
      'signature_invalid',
      'digest_mismatch',
      'component_missing',
      'key_unknown',
    ]),
  )
  expect(reasons.filter((reason) => reason !== 'no change').length).toBeGreaterThan(0.7 * SAMPLED)
})

/** Why it is refused; `no change`: it says what a right request says. */
function reasonOf([which, part, change]: Mutation): AgentSignatureFailure | 'no change' | undefined {
  const mutant = mutantOf(REQUESTS[which] ?? signed(), part, change)
  return RIGHT.has(meaningOf(mutant)) ? 'no change' : judged(mutant)?.reason
}

/** What a request says: two of the same meaning are one request, and signed by one signature. */
function meaningOf({ method, authority, rawTarget, body, headers }: SignedMessage): string {
  const said = headers
    .filter(([name]) => HEADERS.includes(name))
    .map(([, value]) => value.replace(/^[ \t]+|[ \t]+$/g, ''))
  const host = authority.toLowerCase().replace(/:443$/, '')
  const bytes = Buffer.from(body ?? []).toString('latin1')
  return JSON.stringify([method, host, rawTarget.replace(/^([^?]*)\?$/, '$1'), bytes, said])
}

function mutantOf(request: SignedMessage, part: string, change: Change | string | number): SignedMessage {
  if (HEADERS.includes(part)) return otherHeader(request, part, change)
  const other = typeof change === 'number' ? REQUESTS[change] : undefined
  const change_ = typeof change === 'object' ? change : undefined
  if (part === 'body') {
    const text = Buffer.from(request.body ?? []).toString('latin1')
    const body = other ? other.body : Buffer.from(change_ ? changed(text, change_) : '', 'latin1')
    return { ...request, body }
  }
  const name = part as 'method' | 'authority' | 'rawTarget'
  return { ...request, [name]: other ? other[name] : change_ ? changed(request[name], change_) : '' }
}

function otherHeader(request: SignedMessage, name: string, change: Change | string | number): SignedMessage {
  const value = headerOf(request, name)
  // A header that is not there is not covered, and the verifier does not read it.
  if (value === '') return request
  if (change === 'doubled') return { ...request, headers: [...request.headers, [name, value]] }
  if (change === 'gone') return withHeader(request, name, () => undefined)
  const other = typeof change === 'number' ? headerOf(REQUESTS[change] ?? request, name) : undefined
  return withHeader(request, name, (text) => other ?? changed(text, change as Change))
}

function changed(text: string, [kind, anywhere, length, piece]: Change): string {
  const at = anywhere % (text.length + 1)
  const [before, letter, rest] = [text.slice(0, at), text.slice(at, at + 1), text.slice(at + 1)]
  switch (kind) {
    case 'replace':
      return before + piece + rest
    case 'insert':
      return before + piece + letter + rest
    case 'remove':
      return before + text.slice(at + 1 + length)
    case 'swap':
      return before.slice(0, -1) + letter + before.slice(-1) + rest
    case 'case':
      return before + (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()) + rest
    case 'double':
      return before + text.slice(at, at + length) + letter + rest
    default:
      return `${before}%${letter.charCodeAt(0).toString(16)}${rest}`
  }
}

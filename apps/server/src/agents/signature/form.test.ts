import { generateKeyPairSync } from 'node:crypto'
import type { AgentSignatureFailure } from '@mintmark/contract/agent-signature'
import { expect, test } from 'vitest'
import { judged } from './testing/judged.ts'
import { COVERED, headerOf, quoted, SECONDS, signed, withHeader } from './testing/signed.ts'
import type { SignedMessage } from './verify.ts'

// Guarantee: what two readers could take for two things is refused: parameters, components and headers are written in one way.

test.each<[what: string, reason: AgentSignatureFailure, message: RegExp, () => SignedMessage]>([
  [
    'another key',
    'signature_invalid',
    /has not made/,
    () => signed({ key: generateKeyPairSync('ed25519').privateKey }),
  ],
  ['a keyid of nobody', 'key_unknown', /keyid/, () => signed({ parameters: { keyid: '"https://keys.example"' } })],
  ['an empty keyid', 'key_unknown', /keyid/, () => signed({ parameters: { keyid: '""' } })],
  [
    'a keyid that is no string',
    'signature_invalid',
    /keyid is not a string/,
    () => signed({ parameters: { keyid: 'aa_1' } }),
  ],
  ['another tag', 'signature_invalid', /web-bot-auth/, () => signed({ parameters: { tag: '"web-bot-auth"' } })],
  ['another algorithm', 'signature_invalid', /hmac-sha256/, () => signed({ parameters: { alg: '"hmac-sha256"' } })],
  [
    'an algorithm that is no string',
    'signature_invalid',
    /alg is not a string/,
    () => signed({ parameters: { alg: 'ed25519' } }),
  ],
  ['an empty nonce', 'signature_invalid', /nonce has 0/, () => signed({ parameters: { nonce: '""' } })],
  [
    'a long nonce',
    'signature_invalid',
    /nonce has 129/,
    () => signed({ parameters: { nonce: `"${'n'.repeat(129)}"` } }),
  ],
  ['an unknown parameter', 'signature_invalid', /"jku"/, () => signed({ more: ';jku="https://keys.example"' })],
  ['a parameter twice', 'signature_invalid', /twice/, () => signed({ more: `;created=${SECONDS}` })],
  ['a keyid twice', 'signature_invalid', /twice/, () => signed({ more: ';keyid="aa_2"' })],

  ['an unknown derived component', 'signature_invalid', /"@target-uri"/, () => more('"@target-uri"')],
  ['a component that is a header', 'signature_invalid', /"content-type"/, () => more('"content-type"')],
  ['a component in capitals', 'signature_invalid', /"Content-Digest"/, () => more('"Content-Digest"')],
  ['the directory of an agent', 'signature_invalid', /"signature-agent"/, () => more('"signature-agent"')],
  ['a component twice', 'signature_invalid', /twice/, () => more('"@path"')],
  ['a component that is no string', 'signature_invalid', /not a string/, () => more('date')],
  ...['req', 'sf', 'bs', 'tr', 'key="sha-256"', 'name="a"', 'x'].map(
    (parameter): [string, AgentSignatureFailure, RegExp, () => SignedMessage] => [
      `a component with ;${parameter}`,
      'signature_invalid',
      /it may have none/,
      () => signed({ components: [...quoted(COVERED), `"content-digest";${parameter}`] }),
    ],
  ),

  [
    'two signatures',
    'signature_invalid',
    /2 signatures/,
    () => twice((value) => `${value}, ${value.replace('sig', 'two')}`),
  ],
  ['a label twice', 'signature_invalid', /twice/, () => twice((value) => `${value}, ${value}`)],
  [
    'a second label without its input',
    'signature_invalid',
    /Signature has 2/,
    () => withHeader(signed(), 'Signature', (value) => `${value}, b=:AAAA:`),
  ],
  [
    'labels that differ',
    'signature_invalid',
    /"two"/,
    () => withHeader(signed(), 'Signature', (value) => value.replace('sig', 'two')),
  ],
  ['two headers Signature-Input', 'signature_invalid', /2 times/, () => doubled('Signature-Input')],
  ['two headers Signature', 'signature_invalid', /2 times/, () => doubled('Signature')],
  ['two headers Content-Digest', 'signature_invalid', /2 times/, () => doubled('Content-Digest')],
  ['two headers Host', 'signature_invalid', /2 times/, () => doubled('Host')],
  ['an empty Signature', 'signature_invalid', /0 signatures/, () => withHeader(signed(), 'Signature', () => '')],
  [
    'an empty Signature-Input',
    'signature_invalid',
    /0 signatures/,
    () => withHeader(signed(), 'Signature-Input', () => ''),
  ],
  [
    'a Signature that is no dictionary',
    'signature_invalid',
    /RFC 8941/,
    () => withHeader(signed(), 'Signature', () => '???'),
  ],
  [
    'a Signature-Input of one item',
    'signature_invalid',
    /not a list/,
    () => withHeader(signed(), 'Signature-Input', () => 'sig=1'),
  ],
  [
    'a Signature that is a string',
    'signature_invalid',
    /byte sequence/,
    () => withHeader(signed(), 'Signature', () => 'sig="AAAA"'),
  ],
  [
    'a Signature that is a list',
    'signature_invalid',
    /byte sequence/,
    () => withHeader(signed(), 'Signature', () => 'sig=()'),
  ],
  [
    'a Signature with a parameter',
    'signature_invalid',
    /parameters/,
    () => withHeader(signed(), 'Signature', (value) => `${value};alg="none"`),
  ],
  [
    'a Signature of no bytes',
    'signature_invalid',
    /has not made/,
    () => withHeader(signed(), 'Signature', () => 'sig=::'),
  ],
  [
    'a Signature with bits to spare',
    'signature_invalid',
    /canonical/,
    () => withHeader(signed(), 'Signature', (value) => value.replace(/.==:$/, spare)),
  ],
  [
    'spaces between components',
    'signature_invalid',
    /canonical/,
    () => withHeader(signed(), 'Signature-Input', (value) => value.replace(' ', '  ')),
  ],
  [
    'a header longer than any right one',
    'signature_invalid',
    /longer than/,
    () => signed({ label: 's'.repeat(1_024) }),
  ],
])('refused: %s', (_, reason, message, request) => {
  expect(judged(request())).toEqual({ reason, message: expect.stringMatching(message) })
})

const more = (component: string) => signed({ components: [...quoted([...COVERED, 'content-digest']), component] })

function twice(change: (value: string) => string): SignedMessage {
  return withHeader(withHeader(signed(), 'Signature-Input', change), 'Signature', change)
}

function doubled(name: string): SignedMessage {
  const message = signed()
  return { ...message, headers: [...message.headers, [name.toLowerCase(), headerOf(message, name)]] }
}

/** The same bytes as another text: the last letter before the padding says four bits that a decoder drops. */
function spare(end: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  return `${letters[letters.indexOf(end[0] ?? '') + 1]}==:`
}

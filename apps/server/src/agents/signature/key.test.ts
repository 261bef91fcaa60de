import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { readAgentKey } from './key.ts'

// Guarantee: a key that is linked is of Ed25519, has one name, and only a holder of its private half signs with it.

const PREFIX = '302a300506032b6570032100'
const spkiOf = (point: string) => Buffer.from(PREFIX + point, 'hex')
const { publicKey } = generateKeyPairSync('ed25519')
const text = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

test('a key is read, and has the thumbprint of RFC 8037, appendix A.3', () => {
  expect(readAgentKey(text)?.key.equals(publicKey)).toBe(true)
  const x = Buffer.from('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', 'base64url').toString('hex')
  expect(readAgentKey(spkiOf(x).toString('base64'))?.thumbprint).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
})

/** By the OpenSSL of Node 20, the identity and a zero are a signature of these keys for at least every eighth message. That of Node 24.21 refuses. */
const SMALL = [
  '00'.repeat(32),
  `${'00'.repeat(31)}80`,
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
]

test.each(SMALL)('with %s everybody can sign, and it is refused', (point) => {
  expect(readAgentKey(spkiOf(point).toString('base64'))).toBeUndefined()
})

test.each<[string, string]>([
  ['nothing', ''],
  ['a text', 'not a key'],
  ['a line end behind it', `${text}\n`],
  ['base64url', text.replaceAll('+', '-').replaceAll('/', '_').replace(/^M/, '_')],
  ['a byte more', Buffer.concat([Buffer.from(text, 'base64'), Buffer.from([0])]).toString('base64')],
  ['a byte less', Buffer.from(text, 'base64').subarray(0, -1).toString('base64')],
  ['a key of X25519', spkiText('x25519')],
  [
    'a key of P-256',
    generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .publicKey.export({ format: 'der', type: 'spki' })
      .toString('base64'),
  ],
])('refused: %s', (_, given) => {
  expect(readAgentKey(given)).toBeUndefined()
})

function spkiText(kind: 'x25519'): string {
  return generateKeyPairSync(kind).publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
}

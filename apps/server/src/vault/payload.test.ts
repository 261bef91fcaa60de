// Guarantee: what leaves for an agent is opened by its own key alone, with any JOSE library; the published vectors are what this program makes;
// a payload that was changed, in one bit of one piece or in its header, opens for no caller, and no error says what is in it.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { inspect } from 'node:util'
import { AGENT_PAYLOAD_VECTORS, type EncryptedPayload } from '@mintmark/contract/agent-payload'
import { openPayload, PayloadError } from '@mintmark/node'
import { ed25519 } from '@noble/curves/ed25519.js'
import { flattenedDecrypt } from 'jose'
import { describe, expect, test } from 'vitest'
import { secret } from '../platform/secret.ts'
import { encryptPayload, mappedRecipient } from './payload.ts'

const CANARY = '4000056655665556'
const TEXT = JSON.stringify({ token: CANARY, dynamicCvv: '123', mandateId: 'mdt_1', transactionId: 'txn_1' })

const bytesOf = (key: KeyObject) => Buffer.from(String(key.export({ format: 'jwk' }).x), 'base64url')
const RECIPIENTS = {
  x25519: (publicKey: KeyObject) => bytesOf(publicKey),
  ed25519: (publicKey: KeyObject) => mappedRecipient(bytesOf(publicKey)),
}

function encrypted(kind: keyof typeof RECIPIENTS) {
  const { privateKey, publicKey } = kind === 'x25519' ? generateKeyPairSync('x25519') : generateKeyPairSync('ed25519')
  return { privateKey, payload: encryptPayload(secret(TEXT), RECIPIENTS[kind](publicKey)) }
}

/** As a library opens it that knows nothing of ours but the four pieces. */
async function openedByJose(payload: EncryptedPayload, key: KeyObject, header: object = {}) {
  const { ephemeral_public_key: x, iv, auth_tag: tag, data: ciphertext } = payload
  const whole = { alg: 'ECDH-ES', enc: 'A256GCM', epk: { kty: 'OKP', crv: 'X25519', x }, ...header }
  const encoded = Buffer.from(JSON.stringify(whole)).toString('base64url')
  const { plaintext } = await flattenedDecrypt({ protected: encoded, iv, tag, ciphertext }, key)
  return Buffer.from(plaintext).toString()
}

describe.each(AGENT_PAYLOAD_VECTORS)('the vector $name', ({ recipient, ephemeral_private_key: d, text, payload }) => {
  const privateKey = createPrivateKey({ key: { ...recipient }, format: 'jwk' })
  const kind = recipient.crv === 'X25519' ? 'x25519' : 'ed25519'

  test('is what this program makes with its key and iv', () => {
    const ephemeralKey = createPrivateKey({
      key: { kty: 'OKP', crv: 'X25519', x: payload.ephemeral_public_key, d },
      format: 'jwk',
    })
    const ephemeral = { privateKey: ephemeralKey, publicKey: createPublicKey(ephemeralKey) }
    const chance = { ephemeral, iv: Buffer.from(payload.iv, 'base64url') }
    const to = RECIPIENTS[kind](createPublicKey(privateKey))
    expect(encryptPayload(secret(text), to, chance)).toEqual(payload)
  })

  test('is opened by the package', () => expect(openPayload(payload, privateKey)).toEqual(JSON.parse(text)))

  test('is opened by jose', async () => {
    const key = kind === 'x25519' ? privateKey : scalarOf(privateKey)
    expect(await openedByJose(payload, key)).toBe(text)
  })
})

describe.each(['x25519', 'ed25519'] as const)('to a key of %s', (kind) => {
  test('opened by its key, and by no other', async () => {
    const { privateKey, payload } = encrypted(kind)
    expect(openPayload(payload, privateKey)).toEqual(JSON.parse(TEXT))
    expect(await openedByJose(payload, kind === 'x25519' ? privateKey : scalarOf(privateKey))).toBe(TEXT)
    expect(() => openPayload(payload, encrypted(kind).privateKey)).toThrow(PayloadError)
  })

  test('another one each time', () => {
    const made = Array.from({ length: 20 }, () =>
      encryptPayload(secret(TEXT), bytesOf(generateKeyPairSync('x25519').publicKey)),
    )
    for (const piece of ['ephemeral_public_key', 'iv', 'auth_tag', 'data'] as const) {
      expect(new Set(made.map((payload) => payload[piece])).size).toBe(20)
    }
  })

  test('a bit of any piece changed: it opens for nobody, and what was thrown says nothing of it', () => {
    const { privateKey, payload } = encrypted(kind)
    for (const piece of ['ephemeral_public_key', 'iv', 'auth_tag', 'data'] as const) {
      const bytes = Buffer.from(payload[piece], 'base64url')
      for (let bit = 0; bit < bytes.length * 8; bit += 7) {
        const changed = Buffer.from(bytes)
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect(refusalOf({ ...payload, [piece]: changed.toString('base64url') }, privateKey)).toBe('not_opened')
      }
    }
  })

  test('another header: jose does not open it either', async () => {
    const { privateKey, payload } = encrypted(kind)
    const key = kind === 'x25519' ? privateKey : scalarOf(privateKey)
    await expect(openedByJose(payload, key, { kid: 'aa_1' })).rejects.toThrow()
  })
})

test.each([
  ['no object', null],
  ['a piece missing', { iv: 'AAAA' }],
  ['a piece too short', { ...encrypted('x25519').payload, iv: 'AAAA' }],
  ['a piece with other letters', { ...encrypted('x25519').payload, data: 'a+b/' }],
  ['a piece in another spelling', { ...encrypted('x25519').payload, auth_tag: `${'A'.repeat(21)}B` }],
])('%s is malformed', (_what, payload) => {
  expect(refusalOf(payload as EncryptedPayload, generateKeyPairSync('x25519').privateKey)).toBe('malformed')
})

test('a key of another kind is named, and never shown', () => {
  const { payload } = encrypted('x25519')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  expect(() => openPayload(payload, privateKey)).toThrow(TypeError)
  expect(() => openPayload(payload, 'not a key')).toThrow(TypeError)
})

test('a key to which everybody knows the secret takes no payload', () => {
  expect(() => encryptPayload(secret(TEXT), Buffer.alloc(32))).toThrow()
})

function refusalOf(payload: EncryptedPayload, key: KeyObject): string {
  try {
    openPayload(payload, key)
  } catch (error) {
    expect(inspect(error)).not.toContain(CANARY)
    if (error instanceof PayloadError) return error.code
    throw error
  }
  return 'opened'
}

/** The X25519 key of an Ed25519 one, by a library that is not ours. */
function scalarOf(key: KeyObject): KeyObject {
  const { d = '', x = '' } = key.export({ format: 'jwk' })
  const scalar = ed25519.utils.toMontgomerySecret(Buffer.from(d, 'base64url'))
  const point = ed25519.utils.toMontgomery(Buffer.from(x, 'base64url'))
  const [ours, theirs] = [scalar, point].map((bytes) => Buffer.from(bytes).toString('base64url'))
  return createPrivateKey({ key: { kty: 'OKP', crv: 'X25519', x: theirs ?? '', d: ours ?? '' }, format: 'jwk' })
}

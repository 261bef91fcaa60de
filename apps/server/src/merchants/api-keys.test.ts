import { randomBytes } from 'node:crypto'
import { API_KEY_KINDS, ENVIRONMENTS } from '@mintmark/contract'
import { describe, expect, test } from 'vitest'
import { ID_PREFIXES } from '../platform/ids.ts'
import { secret } from '../platform/secret.ts'
import { hashKey, hashNewKey, newKey, newWebhookSecret, parseKey } from './api-keys.ts'

const PREFIXES = {
  sandbox: { secret: 'sk_test_', publishable: 'pk_test_', wallet: 'wk_test_' },
  production: { secret: 'sk_live_', publishable: 'pk_live_', wallet: 'wk_live_' },
}

describe('newKey', () => {
  test.each(ENVIRONMENTS.flatMap((environment) => API_KEY_KINDS.map((kind) => [environment, kind] as const)))(
    '%s %s: the prefix of its kind, 72 characters, and it parses to itself',
    (environment, kind) => {
      const { text, ...key } = newKey(kind, environment)
      const shown = text.reveal()
      expect(shown).toMatch(/^[a-z_0-9]{72}$/)
      expect(shown.startsWith(PREFIXES[environment][kind] + key.id)).toBe(true)
      expect(parseKey(shown)).toEqual({ kind, environment, id: key.id })
    },
  )

  test('no key begins like an id, so a scanner for leaked secrets is never in doubt', () => {
    const ids = Object.values(ID_PREFIXES)
    const keys = ['whsec_', ...ENVIRONMENTS.flatMap((environment) => Object.values(PREFIXES[environment]))]
    for (const key of keys) expect(ids.filter((id) => id.startsWith(key) || key.startsWith(id))).toEqual([])
  })
})

describe('parseKey', () => {
  const good = newKey('secret', 'sandbox').text.reveal()

  test.each([
    ['empty', ''],
    ['cut', good.slice(0, -1)],
    ['longer', `${good}0`],
    ['a space before', ` ${good}`],
    ['a newline after', `${good}\n`],
    ['upper case', good.toUpperCase()],
    ['a letter outside the alphabet', `${good.slice(0, -1)}u`],
    ['another kind', good.replace('sk_', 'rk_')],
    ['another environment', good.replace('_test_', '_prod_')],
    ['a prefix alone', 'sk_test_'],
    ['an inherited name', 'constructor'],
  ])('refuses %s', (_name, text) => {
    expect(parseKey(text)).toBeUndefined()
  })
})

describe('hashKey', () => {
  const pepper = secret(randomBytes(32))
  const key = newKey('secret', 'sandbox')

  test('covers the whole key, prefix included, and the pepper', () => {
    const text = key.text.reveal()
    const hashes = [
      hashKey(pepper, text),
      hashKey(pepper, text.replace('sk_', 'pk_')),
      hashKey(pepper, text.replace('_test_', '_live_')),
      hashKey(pepper, text.slice(0, -1)),
      hashKey(secret(randomBytes(32)), text),
    ].map((hash) => hash.toString('hex'))
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(hashNewKey(pepper, key).toString('hex')).toBe(hashes[0])
  })
})

test('a webhook secret is whsec_ and base64 of 32 bytes', () => {
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]{43}=)$/.exec(newWebhookSecret().reveal()) ?? []
  expect(Buffer.from(encoded, 'base64')).toHaveLength(32)
})

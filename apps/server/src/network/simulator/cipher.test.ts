import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { secret } from '../../platform/secret.ts'
import { createNetworkCipher } from './cipher.ts'

// The guarantee: what is stored opens only with the key, unchanged, and in its own place.

const cipher = createNetworkCipher(secret(randomBytes(32)))
const place = { chargeId: 'txn_1', field: 'number' } as const
const number = secret('4895370000000008')

test('what was sealed opens again, and is sealed differently each time', () => {
  const sealed = cipher.seal(number, place)
  expect(cipher.unseal(sealed, place).reveal()).toBe('4895370000000008')
  expect(cipher.seal(number, place).equals(sealed)).toBe(false)
  expect(sealed.includes('4895370000000008')).toBe(false)
})

test('it opens in no other row or column, and with no other key', () => {
  const sealed = cipher.seal(number, place)
  expect(() => cipher.unseal(sealed, { ...place, chargeId: 'txn_2' })).toThrow()
  expect(() => cipher.unseal(sealed, { ...place, field: 'cvv' })).toThrow()
  expect(() => createNetworkCipher(secret(randomBytes(32))).unseal(sealed, place)).toThrow()
})

test('one changed or missing byte is noticed, wherever it is', () => {
  const sealed = cipher.seal(number, place)
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
    expect(() => cipher.unseal(changed, place)).toThrow()
    expect(() => cipher.unseal(sealed.subarray(0, index), place)).toThrow()
  }
})

test('hashes are keyed, and one use says nothing about the other', () => {
  expect(cipher.lookup(number)).toEqual(cipher.lookup(secret('4895370000000008')))
  expect(cipher.lookup(number)).not.toEqual(cipher.fingerprint(number, 'card_1'))
  expect(cipher.fingerprint(number, 'card_1')).toEqual(cipher.fingerprint(number, 'card_1'))
  expect(cipher.fingerprint(number, 'card_1')).not.toEqual(cipher.fingerprint(number, 'card_2'))
  expect(cipher.lookup(number)).not.toEqual(createNetworkCipher(secret(randomBytes(32))).lookup(number))
})

test('comparing takes secrets of any length', () => {
  expect(cipher.same(secret('123'), secret('123'))).toBe(true)
  expect(cipher.same(secret('123'), secret('1234'))).toBe(false)
  expect(cipher.same(secret('123'), secret(''))).toBe(false)
})

test('a key of the wrong length is refused', () => {
  expect(() => createNetworkCipher(secret(randomBytes(16)))).toThrow('32 bytes')
})

import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PublicError } from '../platform/errors.ts'
import { createLocalKeyProvider, type KeyProvider, KeyProviderUnavailable } from '../platform/key-provider.ts'
import { secret } from '../platform/secret.ts'
import { type CellRef, rewrap, SealBroken, type SealedField, seal, unseal } from './envelope.ts'

const root = secret(randomBytes(32))
const keys = createLocalKeyProvider(root)
const cell: CellRef = { table: 'vault_records', merchantId: 'ma_one', id: 'record', field: 'number' }
const NUMBER = '4242424242424242'

const sealed = (at = cell, text = NUMBER) => seal(keys, at, Buffer.from(text))

/**
 * What an observer of a failed opening sees, whole: text, properties, cause. The stack names the cell, not the data.
 */
async function failure(field: SealedField, at = cell, provider: KeyProvider = keys): Promise<string> {
  try {
    await unseal(provider, at, field)
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    return inspect({ name: error.name, message: error.message, cause: error.cause, own: Object.keys(error) })
  }
  throw new Error('It opened.')
}

const ONE_ANSWER = inspect({
  name: 'SealBroken',
  message: 'A sealed value failed authentication.',
  cause: undefined,
  own: ['name'],
})

/** Guarantee: a sealed value opens in its own cell, unchanged, or not at all; and every refusal looks the same. */
describe('envelope', () => {
  test('opens what was sealed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        const opened = await unseal(keys, cell, await seal(keys, cell, Buffer.from(bytes)))
        expect(opened).toEqual(Buffer.from(bytes))
      }),
      { numRuns: 50 },
    )
  })

  test('opens what an earlier program sealed, whatever letters its cell has', async () => {
    const earlier = createLocalKeyProvider(secret(Buffer.alloc(32, 7)))
    const cell = { table: 'cards', merchantId: 'ma_1', id: 'card_ü', field: 'number' }
    const sealed = Buffer.from(
      'AQBMlQURgTqO+u6Ev1+NA22TO+yQQPIgKroeSMcazQ5JZ8Ka7kQ0up2ViZySOrajm3DtkK83ovlRd9Vb6mgEH2dux24nI9SU6Y96kQaPRFTHs9CBIC+h' +
        'zRzp9kB/NlFRMQwDxAxjCO+GLk1l4yxTGuy7',
      'base64',
    )
    expect((await unseal(earlier, cell, { keyId: 'local:1', sealed })).toString()).toBe('planted')
  })

  test('seals the same text differently each time, and shows none of it', async () => {
    const [one, other] = [await sealed(), await sealed()]
    expect(one.sealed).not.toEqual(other.sealed)
    expect(one.sealed.includes(NUMBER)).toBe(false)
    expect(one.keyId).toBe('local:1')
  })

  test('refuses every single flipped bit', async () => {
    const field = await sealed()
    for (let bit = 0; bit < field.sealed.length * 8; bit += 1) {
      const changed = Buffer.from(field.sealed)
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      expect(await failure({ ...field, sealed: changed })).toBe(ONE_ANSWER)
    }
  })

  test('refuses every truncation and any addition', async () => {
    const field = await sealed()
    for (let length = 0; length < field.sealed.length; length += 1) {
      expect(await failure({ ...field, sealed: field.sealed.subarray(0, length) })).toBe(ONE_ANSWER)
    }
    expect(await failure({ ...field, sealed: Buffer.concat([field.sealed, Buffer.alloc(1)]) })).toBe(ONE_ANSWER)
  })

  test.each<[string, Partial<CellRef>]>([
    ['table', { table: 'charges' }],
    ['tenant', { merchantId: 'ma_two' }],
    ['row', { id: 'other' }],
    ['field', { field: 'credential' }],
    ['boundary between parts', { merchantId: 'ma_oner', id: 'ecord' }],
    ['empty part', { id: '', field: 'recordnumber' }],
  ])('refuses another %s', async (_name, other) => {
    expect(await failure(await sealed(), { ...cell, ...other })).toBe(ONE_ANSWER)
  })

  test('refuses another key id, another root key, and parts of two values put together', async () => {
    const [one, other] = [await sealed(), await sealed()]
    expect(await failure({ ...one, keyId: 'local:2' })).toBe(ONE_ANSWER)
    expect(await failure(one, cell, createLocalKeyProvider(secret(randomBytes(32))))).toBe(ONE_ANSWER)
    const wrappedEnd = 3 + one.sealed.readUInt16BE(1)
    const mixed = Buffer.concat([one.sealed.subarray(0, wrappedEnd), other.sealed.subarray(wrappedEnd)])
    expect(await failure({ ...one, sealed: mixed })).toBe(ONE_ANSWER)
  })

  test('refuses arbitrary bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        expect(await failure({ sealed: Buffer.from(bytes), keyId: 'local:1' })).toBe(ONE_ANSWER)
      }),
      { numRuns: 300 },
    )
  })
})

/**
 * Guarantee: a value that was wrapped anew opens in its own cell, by the new key alone, and what it encrypts is not
 * touched.
 */
describe('wrapping anew', () => {
  const next = createLocalKeyProvider(root, 2)

  test('replaces the wrapped key and nothing else', async () => {
    const before = await sealed()
    const after = await rewrap(next, cell, before)
    expect(after.keyId).toBe('local:2')
    expect((await unseal(next, cell, after)).toString()).toBe(NUMBER)
    const boxOf = ({ sealed: bytes }: SealedField) => bytes.subarray(3 + bytes.readUInt16BE(1))
    expect(boxOf(after)).toEqual(boxOf(before))
    expect(after.sealed).not.toEqual(before.sealed)
    expect(await failure(after)).toBe(ONE_ANSWER)
    expect(await failure({ ...after, keyId: before.keyId }, cell, next)).toBe(ONE_ANSWER)
  })

  test('refuses what is not of this cell, and what was changed', async () => {
    const field = await sealed()
    await expect(rewrap(next, { ...cell, merchantId: 'ma_two' }, field)).rejects.toThrow(SealBroken)
    const changed = Buffer.from(field.sealed)
    changed.writeUInt8(changed.readUInt8(20) ^ 1, 20)
    await expect(rewrap(next, cell, { ...field, sealed: changed })).rejects.toThrow(SealBroken)
    await expect(rewrap(next, cell, { ...field, sealed: Buffer.alloc(0) })).rejects.toThrow(SealBroken)
  })

  test('is unavailable, not broken, without its provider', async () => {
    const field = await sealed()
    const away = () => Promise.reject(new KeyProviderUnavailable('down'))
    await expect(rewrap({ ...next, wrap: away }, cell, field)).rejects.toMatchObject({ status: 503 })
    await expect(rewrap({ ...next, unwrap: away }, cell, field)).rejects.toMatchObject({ status: 503 })
  })
})

describe('envelope, when the key provider fails', () => {
  function failing(error: Error): KeyProvider {
    const fail = () => Promise.reject(error)
    return { currentKeyId: 'local:1', wrap: fail, unwrap: fail }
  }

  test('an unreachable provider is 503, not a broken seal', async () => {
    const field = await sealed()
    const down = failing(new KeyProviderUnavailable('timed out'))
    for (const attempt of [seal(down, cell, Buffer.from(NUMBER)), unseal(down, cell, field)]) {
      const error = await attempt.catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(PublicError)
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 })
    }
  })

  test('a provider that refuses to wrap ends the sealing: nothing is ever stored in the clear', async () => {
    await expect(seal(failing(new Error('access denied')), cell, Buffer.from(NUMBER))).rejects.toThrow('access denied')
  })

  test('every other failure of the provider looks like all the others', async () => {
    const field = await sealed()
    expect(await failure(field, cell, failing(new Error('key destroyed')))).toBe(ONE_ANSWER)
    const wrongSize = { ...keys, unwrap: async () => Buffer.alloc(16) }
    expect(await failure(field, cell, wrongSize)).toBe(ONE_ANSWER)
  })

  test('the data key is zeroed after sealing and after opening', async () => {
    const seen: Buffer[] = []
    const watching: KeyProvider = {
      currentKeyId: keys.currentKeyId,
      wrap: (dataKey, context) => {
        seen.push(dataKey)
        return keys.wrap(dataKey, context)
      },
      unwrap: async (keyId, wrapped, context) => {
        const dataKey = await keys.unwrap(keyId, wrapped, context)
        seen.push(dataKey)
        return dataKey
      },
    }
    await unseal(watching, cell, await seal(watching, cell, Buffer.from(NUMBER)))
    expect(seen.map((dataKey) => dataKey.every((byte) => byte === 0))).toEqual([true, true])
  })
})

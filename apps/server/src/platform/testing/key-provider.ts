import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { KeyProvider } from '../key-provider.ts'

/**
 * Guarantee: a wrapped data key opens with the right key id and context, and in no other way. Every adapter runs this.
 */
export function describeKeyProvider(adapter: string, create: () => KeyProvider | Promise<KeyProvider>): void {
  const context = Buffer.from('vault_records/one')

  async function wrapped() {
    const keys = await create()
    const dataKey = randomBytes(32)
    return { keys, dataKey, ...(await keys.wrap(dataKey, context)) }
  }

  describe(`key provider: ${adapter}`, () => {
    test('gives back the data key it wrapped', async () => {
      const { keys, dataKey, keyId, wrapped: sealed } = await wrapped()
      expect(await keys.unwrap(keyId, sealed, context)).toEqual(dataKey)
    })

    test('names the key it wraps with', async () => {
      const { keys, keyId } = await wrapped()
      expect(keyId).toBe(keys.currentKeyId)
      expect(keyId).not.toBe('')
    })

    test('hides the data key and never wraps alike twice', async () => {
      const { keys, dataKey, wrapped: sealed } = await wrapped()
      expect(sealed.includes(dataKey)).toBe(false)
      expect((await keys.wrap(dataKey, context)).wrapped).not.toEqual(sealed)
    })

    test('leaves the data key of the caller as it was, and keeps no view of it', async () => {
      const { keys, dataKey, keyId, wrapped: sealed } = await wrapped()
      const copy = Buffer.from(dataKey)
      await keys.wrap(dataKey, context)
      expect(dataKey).toEqual(copy)
      dataKey.fill(0)
      expect(await keys.unwrap(keyId, sealed, context)).toEqual(copy)
    })

    test('refuses another context', async () => {
      const { keys, keyId, wrapped: sealed } = await wrapped()
      await expect(keys.unwrap(keyId, sealed, Buffer.from('vault_records/two'))).rejects.toThrow()
      await expect(keys.unwrap(keyId, sealed, Buffer.alloc(0))).rejects.toThrow()
    })

    test('refuses an unknown key id', async () => {
      const { keys, keyId, wrapped: sealed } = await wrapped()
      for (const other of ['', 'unknown', `${keyId}0`, `${keyId} `]) {
        await expect(keys.unwrap(other, sealed, context)).rejects.toThrow()
      }
    })

    test('refuses a changed or shortened wrapped key', async () => {
      const { keys, keyId, wrapped: sealed } = await wrapped()
      for (const position of [0, Math.floor(sealed.length / 2), sealed.length - 1]) {
        const changed = Buffer.from(sealed)
        changed.writeUInt8(changed.readUInt8(position) ^ 1, position)
        await expect(keys.unwrap(keyId, changed, context)).rejects.toThrow()
      }
      for (const length of [0, 1, sealed.length - 1]) {
        await expect(keys.unwrap(keyId, sealed.subarray(0, length), context)).rejects.toThrow()
      }
    })

    test('serves many calls concurrently', async () => {
      const keys = await create()
      const opened = await Promise.all(
        Array.from({ length: 32 }, async () => {
          const dataKey = randomBytes(32)
          const { keyId, wrapped: sealed } = await keys.wrap(dataKey, context)
          return (await keys.unwrap(keyId, sealed, context)).equals(dataKey)
        }),
      )
      expect(opened).toEqual(Array.from({ length: 32 }, () => true))
    })
  })
}

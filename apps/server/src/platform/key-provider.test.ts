import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createLocalKeyProvider } from './key-provider.ts'
import { secret } from './secret.ts'
import { describeKeyProvider } from './testing/key-provider.ts'

const root = secret(randomBytes(32))
const context = Buffer.from('context')

describeKeyProvider('local file', () => createLocalKeyProvider(root))
describeKeyProvider('local file, rotated', () => createLocalKeyProvider(root, 3))

test('after a rotation the older key still opens, and new keys are wrapped by the new one', async () => {
  const before = createLocalKeyProvider(root)
  const after = createLocalKeyProvider(root, 2)
  const old = await before.wrap(randomBytes(32), context)
  expect(old.keyId).toBe('local:1')
  expect((await after.wrap(randomBytes(32), context)).keyId).toBe('local:2')
  await expect(after.unwrap(old.keyId, old.wrapped, context)).resolves.toHaveLength(32)
  await expect(after.unwrap('local:2', old.wrapped, context)).rejects.toThrow()
})

test('a version that does not exist yet opens nothing', async () => {
  const next = await createLocalKeyProvider(root, 2).wrap(randomBytes(32), context)
  await expect(createLocalKeyProvider(root).unwrap(next.keyId, next.wrapped, context)).rejects.toThrow()
})

test('another root key opens nothing', async () => {
  const { keyId, wrapped } = await createLocalKeyProvider(root).wrap(randomBytes(32), context)
  await expect(createLocalKeyProvider(secret(randomBytes(32))).unwrap(keyId, wrapped, context)).rejects.toThrow()
})

import { createHash } from 'node:crypto'
import type { KeyProvider } from '../platform/key-provider.ts'

export interface CacheBounds {
  entries: number
  millis: number
}

/**
 * Remembers data keys that a service far away unwrapped or wrapped, so that a credential which a merchant asks for five
 * times costs one call. It gives a process nothing that it could not ask for: a key is found only by the wrapped key,
 * key id and context that opened it, and it opens one value of one row. It is bounded in number and in time, so a right
 * that is withdrawn ends with it, and forgotten keys are zeroed.
 */
export function cachedProvider(provider: KeyProvider, { entries, millis }: CacheBounds): KeyProvider {
  const kept = new Map<string, { dataKey: Buffer; endsAt: number }>()
  let isSweeping = false

  const forget = (name: string) => {
    kept.get(name)?.dataKey.fill(0)
    kept.delete(name)
  }
  /** The oldest come first, because all live equally long. */
  const forgetEnded = () => {
    isSweeping = false
    const now = performance.now()
    for (const [name, { endsAt }] of kept) {
      if (endsAt > now) break
      forget(name)
    }
    if (kept.size > 0) sweepLater()
  }
  const sweepLater = () => {
    isSweeping = true
    setTimeout(forgetEnded, millis).unref()
  }
  const remember = (name: string, dataKey: Buffer) => {
    forget(name)
    kept.set(name, { dataKey: Buffer.from(dataKey), endsAt: performance.now() + millis })
    const [oldest] = kept.keys()
    if (kept.size > entries && oldest !== undefined) forget(oldest)
    if (!isSweeping) sweepLater()
  }
  return {
    currentKeyId: provider.currentKeyId,
    async wrap(dataKey, context) {
      const copy = Buffer.from(dataKey)
      try {
        const done = await provider.wrap(dataKey, context)
        remember(nameOf(done.keyId, done.wrapped, context), copy)
        return done
      } finally {
        copy.fill(0)
      }
    },
    async unwrap(keyId, wrapped, context) {
      const name = nameOf(keyId, wrapped, context)
      const known = kept.get(name)
      if (known !== undefined && known.endsAt > performance.now()) return Buffer.from(known.dataKey)
      const dataKey = await provider.unwrap(keyId, wrapped, context)
      remember(name, dataKey)
      return dataKey
    },
  }
}

function nameOf(keyId: string, wrapped: Buffer, context: Buffer): string {
  const hash = createHash('sha256')
  for (const part of [Buffer.from(keyId, 'utf8'), wrapped, context]) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(part.length, 0)
    hash.update(length).update(part)
  }
  return hash.digest('base64')
}

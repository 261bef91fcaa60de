import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'

// The one layout of AES-256-GCM in the product: IV (12), tag (16), ciphertext. The key goes to the cipher as a key
// object: Node takes 10 µs to find out that a buffer is not one.

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Encrypts under a key of 32 bytes. `context` is authenticated with it: the box opens with an equal one only. */
export function sealBox(key: Buffer, plaintext: Buffer, context: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, createSecretKey(key), iv, { authTagLength: TAG_BYTES })
  cipher.setAAD(context)
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext])
}

/** Decrypts what `sealBox` made. Throws when key, context or any byte is another. The caller zeroes the result. */
export function openBox(key: Buffer, box: Buffer, context: Buffer): Buffer {
  const textAt = IV_BYTES + TAG_BYTES
  if (box.length < textAt) throw new Error('The sealed box is too short.')
  const iv = box.subarray(0, IV_BYTES)
  const decipher = createDecipheriv(ALGORITHM, createSecretKey(key), iv, { authTagLength: TAG_BYTES })
  decipher.setAAD(context).setAuthTag(box.subarray(IV_BYTES, textAt))
  const opened = decipher.update(box.subarray(textAt))
  try {
    decipher.final()
    return opened
  } catch (error) {
    // Unauthenticated bytes must not stay in memory, where a heap dump would show them.
    opened.fill(0)
    throw error
  }
}

import { type KeyProvider, noSuchKey } from '../platform/key-provider.ts'
import { crc32c } from './crc32c.ts'
import { createGoogleTokens, type GoogleTokenSettings } from './google-token.ts'
import {
  ask,
  bytesOf,
  codeOf,
  DoesNotOpen,
  exchange,
  isPassingStatus,
  type JsonAnswer,
  RemoteRefusal,
} from './remote.ts'

export interface GoogleSettings extends GoogleTokenSettings {
  endpoint: string
  timeoutMillis: number
}

/** A key, not one of its versions: Google picks the primary one, and knows from a ciphertext which version made it. */
const KEY_ID =
  /^google:(projects\/[a-z0-9.:-]{1,64}\/locations\/[a-z0-9-]{1,32}\/keyRings\/[\w-]{1,63}\/cryptoKeys\/[\w-]{1,63})$/

export function isGoogleKey(keyId: string): boolean {
  return KEY_ID.test(keyId)
}

/** Google Cloud KMS over REST: `:encrypt` and `:decrypt` of data keys, with the context as additional authenticated data. */
export function createGoogleProvider(settings: GoogleSettings, keyId: string): KeyProvider {
  const [, name] = KEY_ID.exec(keyId) ?? []
  if (name === undefined) throw noSuchKey()
  const tokens = createGoogleTokens(settings)
  const call = async (verb: 'encrypt' | 'decrypt', body: object, signal: AbortSignal): Promise<JsonAnswer['body']> => {
    const answer = await exchange(`${settings.endpoint}/v1/${name}:${verb}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await tokens.get(signal)}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })
    if (answer.status === 401) tokens.forget()
    if (answer.status !== 200) throw refusalOf(verb, answer)
    return answer.body
  }
  return {
    currentKeyId: keyId,
    wrap: (dataKey, context) =>
      ask(settings.timeoutMillis, async (signal) => {
        const answer = await call(
          'encrypt',
          { plaintext: base64(dataKey), ...withSum('plaintext', dataKey), ...authenticated(context) },
          signal,
        )
        const wrapped = bytesOf(answer.ciphertext)
        // Damaged on the way there or back it would never open, and the service would not know before it is needed.
        const isWhole = answer.verifiedPlaintextCrc32c === true && answer.ciphertextCrc32c === String(crc32c(wrapped))
        if (!isWhole) throw new RemoteRefusal('DAMAGED_ON_THE_WAY', { isPassing: true })
        return { keyId, wrapped }
      }),
    async unwrap(asked, wrapped, context) {
      if (asked !== keyId) throw noSuchKey()
      if (wrapped.length === 0) throw new DoesNotOpen()
      return ask(settings.timeoutMillis, async (signal) => {
        const answer = await call(
          'decrypt',
          { ciphertext: base64(wrapped), ...withSum('ciphertext', wrapped), ...authenticated(context) },
          signal,
        )
        const dataKey = bytesOf(answer.plaintext)
        if (answer.plaintextCrc32c !== String(crc32c(dataKey)))
          throw new RemoteRefusal('DAMAGED_ON_THE_WAY', { isPassing: true })
        return dataKey
      })
    },
  }
}

const base64 = (bytes: Buffer) => bytes.toString('base64')
const withSum = (field: string, bytes: Buffer) => ({ [`${field}Crc32c`]: String(crc32c(bytes)) })
const authenticated = (context: Buffer) => ({
  additionalAuthenticatedData: base64(context),
  ...withSum('additionalAuthenticatedData', context),
})

function refusalOf(verb: string, { status, body }: JsonAnswer): Error {
  const { status: name } = { ...(body.error as { status?: unknown } | undefined) }
  // A key that is disabled is FAILED_PRECONDITION, also with the status 400.
  if (verb === 'decrypt' && status === 400 && name === 'INVALID_ARGUMENT') return new DoesNotOpen()
  const code = typeof name === 'string' ? codeOf(name) : `HTTP_${status}`
  return new RemoteRefusal(code, { isPassing: status === 401 || isPassingStatus(status) })
}

import { readFile } from 'node:fs/promises'
import { type KeyProvider, noSuchKey } from '../platform/key-provider.ts'
import { ask, bytesOf, DoesNotOpen, exchange, isPassingStatus, type JsonAnswer, RemoteRefusal } from './remote.ts'

export interface VaultTransitSettings {
  address: string | null
  /** Read with every call that needs it anew: an agent beside us renews it. */
  tokenFile: string | null
  namespace: string | null
  timeoutMillis: number
}

/** `vault:transit/cards`: the mount, then the name of the key. */
const KEY_ID = /^vault:(\w[\w-]{0,63}(?:\/\w[\w-]{0,63}){0,4})\/(\w[\w.-]{0,63})$/

export function isVaultKey(keyId: string): boolean {
  return KEY_ID.test(keyId)
}

/**
 * The transit engine of HashiCorp Vault or OpenBao: `encrypt` and `decrypt` of data keys. The context is the associated
 * data of an AEAD key (`aes256-gcm96`, its default), not the `context` of derived keys.
 */
export function createVaultTransitProvider(settings: VaultTransitSettings, keyId: string): KeyProvider {
  const [, mount, key] = KEY_ID.exec(keyId) ?? []
  if (mount === undefined || key === undefined) throw noSuchKey()
  const call = (verb: 'encrypt' | 'decrypt', body: object, signal: AbortSignal) =>
    callTransit(settings, `${mount}/${verb}/${key}`, body, signal)
  return {
    currentKeyId: keyId,
    wrap: (dataKey, context) =>
      ask(settings.timeoutMillis, async (signal) => {
        const body = { plaintext: dataKey.toString('base64'), associated_data: context.toString('base64') }
        const { ciphertext } = await call('encrypt', body, signal)
        if (typeof ciphertext === 'string' && CIPHERTEXT.test(ciphertext))
          return { keyId, wrapped: Buffer.from(ciphertext) }
        throw new RemoteRefusal('UNEXPECTED_ANSWER', { isPassing: true })
      }),
    async unwrap(asked, wrapped, context) {
      if (asked !== keyId) throw noSuchKey()
      const ciphertext = wrapped.toString('latin1')
      if (!CIPHERTEXT.test(ciphertext)) throw new DoesNotOpen()
      return ask(settings.timeoutMillis, async (signal) => {
        const { plaintext } = await call('decrypt', { ciphertext, associated_data: context.toString('base64') }, signal)
        return bytesOf(plaintext)
      })
    },
  }
}

const CIPHERTEXT = /^vault:v\d{1,9}:[A-Za-z0-9+/]+={0,2}$/
/** What Vault says of a ciphertext that does not open; it has one status for this and for mistakes of the operator. */
const BROKEN = /message authentication failed|invalid ciphertext|could not decode|illegal base64/i

async function callTransit(
  { address, tokenFile, namespace }: VaultTransitSettings,
  path: string,
  body: object,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  if (address === null || tokenFile === null) throw new RemoteRefusal('VAULT_NOT_CONFIGURED', { isPassing: false })
  const token = await readFile(tokenFile, 'utf8').catch((cause: unknown) => {
    throw new RemoteRefusal('TOKEN_FILE_UNUSABLE', { isPassing: false, cause })
  })
  const answer = await exchange(`${address}/v1/${path}`, {
    method: 'POST',
    headers: {
      'x-vault-token': token.trim(),
      'x-vault-request': 'true',
      'content-type': 'application/json',
      ...(namespace === null ? {} : { 'x-vault-namespace': namespace }),
    },
    body: JSON.stringify(body),
    signal,
  })
  const { data } = answer.body
  if (answer.status !== 200) throw refusalOf(answer)
  return typeof data === 'object' && data !== null ? { ...data } : {}
}

function refusalOf({ status, body }: JsonAnswer): Error {
  const words = Array.isArray(body.errors) ? body.errors.join(' ') : ''
  if (status === 400 && BROKEN.test(words)) return new DoesNotOpen()
  // 412 and 473: a standby that has not caught up. 403 also when the token was renewed in this moment.
  return new RemoteRefusal(`HTTP_${status}`, { isPassing: status === 403 || status === 412 || isPassingStatus(status) })
}

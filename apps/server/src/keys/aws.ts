import { createHash } from 'node:crypto'
import type { KMSClientConfig } from '@aws-sdk/client-kms'
import { type KeyProvider, noSuchKey } from '../platform/key-provider.ts'
import { throughConnector } from './aws-transport.ts'
import { ask, codeOf, DoesNotOpen, isPassingStatus, RemoteRefusal } from './remote.ts'

export interface AwsSettings {
  /** Null: the public one of the key's region. */
  endpoint: string | null
  timeoutMillis: number
  /** Unless given, the chain of the SDK: environment, shared files, web identity, container, instance. */
  credentials?: KMSClientConfig['credentials']
}

/** A key by its ARN, never by an alias: an alias may lead to another key tomorrow. */
const KEY_ID = /^aws:(arn:aws[a-z-]{0,20}:kms:([a-z0-9-]{1,32}):\d{12}:key\/[A-Za-z0-9-]{1,64})$/

export function isAwsKey(keyId: string): boolean {
  return KEY_ID.test(keyId)
}

/** What makes a ciphertext that does not open; everything else says something of the service, the key or our rights. */
const BROKEN = new Set(['InvalidCiphertextException', 'IncorrectKeyException'])

/** Refusals with the status 400 that another try may not meet. */
const PASSING = new Set(['ThrottlingException', 'KeyUnavailableException', 'DependencyTimeoutException'])

/**
 * AWS KMS: `Encrypt` and `Decrypt` of data keys. The context is in the encryption context, which AWS authenticates and
 * logs.
 */
export function createAwsProvider({ endpoint, timeoutMillis, credentials }: AwsSettings, keyId: string): KeyProvider {
  const [, arn = '', region = ''] = KEY_ID.exec(keyId) ?? []
  if (arn === '') throw noSuchKey()
  const client = once(async () => {
    const { KMSClient } = await import('@aws-sdk/client-kms')
    return new KMSClient({
      region,
      ...(endpoint === null ? {} : { endpoint }),
      ...(credentials === undefined ? {} : { credentials }),
      requestHandler: throughConnector,
      // Tries and time-outs are counted in one place, for all services alike.
      maxAttempts: 1,
    })
  })
  return {
    currentKeyId: keyId,
    wrap: (dataKey, context) =>
      ask(timeoutMillis, async (abortSignal) => {
        const { EncryptCommand } = await import('@aws-sdk/client-kms')
        const input = { KeyId: arn, Plaintext: dataKey, EncryptionContext: encryptionContext(context) }
        const kms = await client()
        const { CiphertextBlob } = await asked(kms.send(new EncryptCommand(input), { abortSignal }))
        return { keyId, wrapped: Buffer.from(present(CiphertextBlob)) }
      }),
    async unwrap(givenId, wrapped, context) {
      if (givenId !== keyId) throw noSuchKey()
      // The service takes no empty one.
      if (wrapped.length === 0) throw new DoesNotOpen()
      return ask(timeoutMillis, async (abortSignal) => {
        const { DecryptCommand } = await import('@aws-sdk/client-kms')
        const input = { KeyId: arn, CiphertextBlob: wrapped, EncryptionContext: encryptionContext(context) }
        const kms = await client()
        const { Plaintext } = await asked(kms.send(new DecryptCommand(input), { abortSignal }))
        return Buffer.from(present(Plaintext))
      })
    },
  }
}

/** A hash: which record of which merchant is opened is nothing for the logs of another company. */
function encryptionContext(context: Buffer): Record<string, string> {
  return { mintmark: createHash('sha256').update(context).digest('base64') }
}

/** What went wrong, told apart. */
const asked = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    throw refusalOf(error)
  })

function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (BROKEN.has(error.name)) return new DoesNotOpen()
  const status = '$metadata' in error ? (error.$metadata as { httpStatusCode?: number }).httpStatusCode : undefined
  if (status !== undefined) {
    const isPassing = PASSING.has(error.name) || isPassingStatus(status)
    return new RemoteRefusal(codeOf(error.name), { isPassing, cause: error })
  }
  // Nothing came back; or nothing was asked, because this machine has no credentials.
  if (error.name !== 'CredentialsProviderError') return error
  return new RemoteRefusal('NO_CREDENTIALS', { isPassing: false, cause: error })
}

function present(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes !== undefined) return bytes
  throw new RemoteRefusal('UNEXPECTED_ANSWER', { isPassing: true })
}

/** The client is made with the first call; one for all. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

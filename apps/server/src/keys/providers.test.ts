import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startReceiver } from '../../test/receivers/receiver.ts'
import { bounded } from '../platform/bounds.ts'
import { PublicError } from '../platform/errors.ts'
import { type KeyProvider, KeyProviderUnavailable } from '../platform/key-provider.ts'
import { secret } from '../platform/secret.ts'
import { describeKeyProvider } from '../platform/testing/key-provider.ts'
import { SealBroken, seal, unseal } from '../vault/envelope.ts'
import { createAwsProvider } from './aws.ts'
import { cachedProvider } from './cache.ts'
import { crc32c } from './crc32c.ts'
import { createGoogleProvider } from './google.ts'
import { providersOf } from './providers.ts'
import { codeOf } from './remote.ts'
import * as aws from './testing/aws-stand-in.ts'
import * as google from './testing/google-stand-in.ts'
import type { Reply, StandIn } from './testing/stand-in.ts'
import * as vault from './testing/vault-stand-in.ts'
import { createVaultTransitProvider } from './vault-transit.ts'

// Guarantee: every key management service keeps the promises of the key provider; what it does not answer is unavailable, never
// broken, and takes no longer than its bound.

const context = Buffer.from('vault_records/one')
const TIMEOUT_MILLIS = 300

let folder: string
let services: { aws: StandIn; google: StandIn; vault: StandIn }
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mintmark-kms-'))
  await writeFile(join(folder, 'token'), `${vault.VAULT_TOKEN}\n`)
  services = {
    aws: await aws.startAwsStandIn(),
    google: await google.startGoogleStandIn(join(folder, 'account.json')),
    vault: await vault.startVaultStandIn(),
  }
})
afterAll(async () => {
  for (const service of Object.values(services)) await service.close()
  await rm(folder, { recursive: true })
})

type Service = keyof typeof services

interface Settings {
  timeoutMillis?: number
  credentialsFile?: string | null
  tokenFile?: string
}

const ADAPTERS: Record<Service, (settings?: Settings) => KeyProvider> = {
  aws: ({ timeoutMillis = TIMEOUT_MILLIS } = {}) =>
    createAwsProvider({ endpoint: services.aws.url, timeoutMillis, credentials: aws.AWS_CREDENTIALS }, aws.AWS_KEY_ID),
  google: ({ timeoutMillis = TIMEOUT_MILLIS, credentialsFile = join(folder, 'account.json') } = {}) =>
    createGoogleProvider(
      {
        endpoint: services.google.url,
        timeoutMillis,
        credentialsFile,
        metadataHost: new URL(services.google.url).host,
      },
      google.GOOGLE_KEY_ID,
    ),
  vault: ({ timeoutMillis = TIMEOUT_MILLIS, tokenFile = join(folder, 'token') } = {}) =>
    createVaultTransitProvider(
      { address: services.vault.url, tokenFile, namespace: 'shop', timeoutMillis },
      vault.VAULT_KEY_ID,
    ),
}
/** The bound is for tests of it: a busy machine must not look like a silent service. */
const PATIENT = { timeoutMillis: 300_000 }

describeKeyProvider('AWS KMS', () => ADAPTERS.aws(PATIENT))
describeKeyProvider('Google Cloud KMS, service account', () => ADAPTERS.google(PATIENT))
describeKeyProvider('Google Cloud KMS, account of the machine', () =>
  ADAPTERS.google({ ...PATIENT, credentialsFile: null }),
)
describeKeyProvider('Vault Transit', () => ADAPTERS.vault(PATIENT))
describeKeyProvider('a service behind the memory of data keys', () =>
  cachedProvider(ADAPTERS.vault(PATIENT), { entries: 10, millis: 60_000 }),
)

/** What each service says of: being busy, a broken ciphertext, a disabled key. */
const REPLIES: Record<Service, { busy: Reply; broken: Reply; disabled: Reply; code: string }> = {
  aws: {
    busy: aws.refusal('ThrottlingException'),
    broken: aws.refusal('IncorrectKeyException'),
    disabled: aws.refusal('DisabledException'),
    code: 'DISABLED',
  },
  google: {
    busy: google.refusal(429, 'RESOURCE_EXHAUSTED'),
    broken: google.refusal(400, 'INVALID_ARGUMENT'),
    disabled: google.refusal(400, 'FAILED_PRECONDITION'),
    code: 'FAILED_PRECONDITION',
  },
  vault: {
    busy: vault.refusal(503, 'Vault is sealed'),
    broken: vault.refusal(400, 'cipher: message authentication failed'),
    disabled: vault.refusal(400, 'encryption key not found'),
    code: 'HTTP_400',
  },
}

describe.each(['aws', 'google', 'vault'] as const)('%s, in trouble', (name) => {
  let keys: KeyProvider
  let kept: { keyId: string; wrapped: Buffer }
  let service: StandIn
  const dataKey = randomBytes(32)
  beforeEach(async () => {
    service = services[name]
    service.trouble('cut', 0)
    kept = await ADAPTERS[name](PATIENT).wrap(dataKey, context)
    keys = ADAPTERS[name](PATIENT)
    // It has its token now.
    await keys.unwrap(kept.keyId, kept.wrapped, context)
    service.calls.length = 0
  })

  const open = (provider = keys) => provider.unwrap(kept.keyId, kept.wrapped, context)

  test.each(['busy', 'cut'] as const)('%s twice: a third try succeeds', async (what) => {
    service.trouble(what === 'busy' ? REPLIES[name].busy : 'cut', 2)
    expect(await open()).toEqual(dataKey)
    service.trouble(what === 'busy' ? REPLIES[name].busy : 'cut', 2)
    expect(await keys.wrap(dataKey, context)).toMatchObject({ keyId: kept.keyId })
    expect(service.calls).toHaveLength(6)
  })

  test('busy for good: unavailable after three tries', async () => {
    service.trouble(REPLIES[name].busy, 9)
    await expect(open()).rejects.toThrow(KeyProviderUnavailable)
    expect(service.calls).toHaveLength(3)
  })

  test('a redirect is not followed: what proves who we are would go with it', async () => {
    const canary = await startReceiver()
    service.trouble({ status: 307, body: {}, headers: { location: canary.url } }, 9)
    await expect(open()).rejects.toThrow(KeyProviderUnavailable)
    expect([service.calls.length, canary.connections]).toEqual([1, 0])
    await canary.close()
  })

  test('an answer that is far too long is none', async () => {
    service.trouble({ status: 200, body: 'x'.repeat(70_000) }, 9)
    await expect(open()).rejects.toMatchObject({ name: 'KeyProviderUnavailable', code: 'ANSWER_TOO_LONG' })
    expect(service.calls).toHaveLength(1)
  })

  test('silent: unavailable within three time-outs, and with the request it is for', async () => {
    const hurried = ADAPTERS[name]({ timeoutMillis: TIMEOUT_MILLIS })
    service.trouble('silence', 99)
    // By the times that are given to it, not by what reaches a busy machine within them.
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    onTestFinished(() => timeout.mockRestore())
    await expect(open(hurried)).rejects.toMatchObject({ name: 'KeyProviderUnavailable', code: 'NO_ANSWER' })
    expect(timeout.mock.calls).toEqual([[TIMEOUT_MILLIS], [TIMEOUT_MILLIS], [TIMEOUT_MILLIS]])
    expect(service.calls.length).toBeLessThanOrEqual(3)
    const bounds = { endsAtMillis: performance.now() + 50, isGone: false, awayMillis: 0 }
    const before = service.calls.length
    await expect(bounded(bounds, () => open(hurried))).rejects.toThrow(KeyProviderUnavailable)
    expect(service.calls.length - before).toBeLessThanOrEqual(1)
    // The wait counts as one for a system that is not ours.
    expect(bounds.awayMillis).toBeGreaterThan(0)
  })

  test('a disabled key is unavailable, at once and by its name; one that is wrong does not open', async () => {
    service.trouble(REPLIES[name].disabled, 9)
    await expect(open()).rejects.toMatchObject({ name: 'KeyProviderUnavailable', code: REPLIES[name].code })
    expect(service.calls).toHaveLength(1)
    service.trouble(REPLIES[name].broken, 1)
    await expect(open()).rejects.toThrow(expect.objectContaining({ name: 'DoesNotOpen' }))
    expect(service.calls).toHaveLength(2)
  })

  test.each([
    ['no JSON', { status: 200, body: 'x' }],
    ['nothing in it', { status: 200, body: {} }],
    ['another type', { status: 200, body: { data: { plaintext: 5 }, plaintext: 5, Plaintext: 5 } }],
    ['too much', { status: 200, body: { plaintext: 'x'.repeat(1_000_000) } }],
    ['an address elsewhere', { status: 307, body: {}, headers: { location: 'http://127.0.0.1:9/' } }],
  ] as const)('an answer with %s is no answer', async (_what, reply) => {
    service.trouble(reply, 9)
    await expect(open()).rejects.toThrow(KeyProviderUnavailable)
  })

  test('a seal says 503 when the service is away, and broken when it says so', async () => {
    const cell = { table: 'vault_records', merchantId: 'ma_one', id: 'r', field: 'number' }
    const field = await seal(keys, cell, Buffer.from('4242424242424242'))
    service.trouble(REPLIES[name].busy, 99)
    for (const attempt of [() => unseal(keys, cell, field), () => seal(keys, cell, Buffer.from('x'))]) {
      const error = await attempt().catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(PublicError)
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 })
    }
    service.trouble('cut', 0)
    await expect(unseal(keys, { ...cell, merchantId: 'ma_two' }, field)).rejects.toThrow(SealBroken)
    expect((await unseal(keys, cell, field)).toString()).toBe('4242424242424242')
  })

  test('says nothing of what it wraps but the data key', () => {
    const said = JSON.stringify(service.calls.map(({ url, body }) => [url, body]))
    expect(said).not.toContain('vault_records')
  })
})

describe('who we are', () => {
  const wrapWith = (keys: KeyProvider) => keys.wrap(randomBytes(32), context)

  test('AWS: another secret is refused', async () => {
    const credentials = { ...aws.AWS_CREDENTIALS, secretAccessKey: 'other' }
    const keys = createAwsProvider({ endpoint: services.aws.url, ...PATIENT, credentials }, aws.AWS_KEY_ID)
    await expect(wrapWith(keys)).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' })
  })

  test('Google: a token is used until it is refused, and an unusable file is named', async () => {
    const keys = ADAPTERS.google(PATIENT)
    services.google.calls.length = 0
    for (let count = 0; count < 3; count += 1) await wrapWith(keys)
    expect(services.google.calls.filter(({ url }) => url === '/token')).toHaveLength(1)
    services.google.trouble(google.refusal(401, 'UNAUTHENTICATED'), 1)
    await wrapWith(keys)
    expect(services.google.calls.filter(({ url }) => url === '/token')).toHaveLength(2)
    const account = JSON.parse(await readFile(join(folder, 'account.json'), 'utf8'))
    const cut = account.private_key.slice(0, 300)
    for (const broken of [{}, { ...account, private_key: cut }, { ...account, token_uri: 'oauth2.googleapis.com' }]) {
      await writeFile(join(folder, 'broken.json'), JSON.stringify(broken))
      const other = ADAPTERS.google({ ...PATIENT, credentialsFile: join(folder, 'broken.json') })
      await expect(wrapWith(other)).rejects.toMatchObject({ code: 'CREDENTIALS_FILE_UNUSABLE' })
    }
  })

  test('Vault: a token that is exchanged in its file is used with the next call', async () => {
    const tokenFile = join(folder, 'exchanged')
    const keys = ADAPTERS.vault({ ...PATIENT, tokenFile })
    await expect(wrapWith(keys)).rejects.toMatchObject({ code: 'TOKEN_FILE_UNUSABLE' })
    await writeFile(tokenFile, 'old')
    await expect(wrapWith(keys)).rejects.toMatchObject({ code: 'HTTP_403' })
    await writeFile(tokenFile, vault.VAULT_TOKEN)
    await wrapWith(keys)
    expect(services.vault.calls.at(-1)?.headers['x-vault-namespace']).toBe('shop')
  })
})

describe('the memory of data keys', () => {
  const counted = () => {
    const asked: string[] = []
    const given: Buffer[] = []
    const keys: KeyProvider = {
      currentKeyId: 'far',
      wrap: async (dataKey) => ({ keyId: 'far', wrapped: Buffer.from(dataKey).reverse() }),
      unwrap: async (keyId, wrapped) => {
        asked.push(keyId)
        const opened = Buffer.from(wrapped).reverse()
        given.push(opened)
        return opened
      },
    }
    return { keys, asked, given }
  }

  test('asks once, for a time and for so many; and never for another key, wrapping or context', async () => {
    let now = 1_000
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => clock.mockRestore())
    const { keys, asked } = counted()
    const kept = cachedProvider(keys, { entries: 2, millis: 60_000 })
    const [one, two, three] = [randomBytes(32), randomBytes(32), randomBytes(32)]
    for (let count = 0; count < 3; count += 1)
      expect(await kept.unwrap('far', one, context)).toEqual(Buffer.from(one).reverse())
    expect(asked).toHaveLength(1)
    await kept.unwrap('farther', one, context)
    await kept.unwrap('far', one, Buffer.from('other'))
    expect(asked).toHaveLength(3)
    for (const wrapped of [one, two, three, one]) await kept.unwrap('far', wrapped, context)
    expect(asked).toHaveLength(7)
    now += 59_999
    await kept.unwrap('far', one, context)
    expect(asked).toHaveLength(7)
    now += 1
    await kept.unwrap('far', one, context)
    expect(asked).toHaveLength(8)
  })

  test('knows what it wrapped, and gives copies: zeroing one leaves it whole', async () => {
    const { keys, asked } = counted()
    const kept = cachedProvider(keys, { entries: 2, millis: 60_000 })
    const dataKey = randomBytes(32)
    const copy = Buffer.from(dataKey)
    const { wrapped } = await kept.wrap(dataKey, context)
    dataKey.fill(0)
    for (let count = 0; count < 2; count += 1) {
      const opened = await kept.unwrap('far', wrapped, context)
      expect(opened).toEqual(copy)
      opened.fill(0)
    }
    expect(asked).toEqual([])
  })

  test('keeps no failure', async () => {
    let fails = true
    const { keys } = counted()
    const shaky: KeyProvider = {
      ...keys,
      unwrap: async (...given) => {
        if (fails) throw new KeyProviderUnavailable('away')
        return keys.unwrap(...given)
      },
    }
    const kept = cachedProvider(shaky, { entries: 2, millis: 60_000 })
    await expect(kept.unwrap('far', context, context)).rejects.toThrow('away')
    fails = false
    await expect(kept.unwrap('far', context, context)).resolves.toBeDefined()
  })
})

test.each([
  'aws:alias/cards',
  'aws:arn:aws:kms:eu-central-1:111122223333:alias/cards',
  'aws:arn:aws:kms:evil.example/:111122223333:key/1',
  'google:projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1',
  'google:projects/p/../x/locations/l/keyRings/r/cryptoKeys/k',
  'vault:cards',
  'vault:../sys/cards',
  'vault:transit/../../sys/seal',
  'local:../../etc/passwd',
  'local:2',
  'other:key',
  '',
])('%j names no key', (id) => {
  const remote = { timeoutMillis: 1, endpoint: '', credentialsFile: null, metadataHost: '' }
  const providerOf = providersOf({
    rootKey: secret(randomBytes(32)),
    rootKeyFile: '/nonexistent/root.key',
    aws: { endpoint: null, timeoutMillis: 1 },
    google: remote,
    vault: { address: null, tokenFile: null, namespace: null, timeoutMillis: 1 },
  })
  expect(() => providerOf(id)).toThrow('names no key')
})

test('the checksum is the one of RFC 3720', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283)
  expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa)
})

test('what a service calls its refusal is a code for the log', () => {
  expect(['AccessDeniedException', 'KMSInvalidStateException', 'PERMISSION_DENIED', 'a b', '1'].map(codeOf)).toEqual([
    'ACCESS_DENIED',
    'KMSINVALID_STATE',
    'PERMISSION_DENIED',
    'A_B',
    'REFUSED',
  ])
})

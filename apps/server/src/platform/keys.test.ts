import { hkdfSync } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type DerivedKeys, deriveKeys, loadRootKey, rootKeyCheck } from './keys.ts'
import { secret } from './secret.ts'

// The step between seeing that there is no key and making one, where another process may be faster.
const beforeMaking = vi.hoisted(() => ({ run: async () => {} }))
vi.mock('node:fs/promises', async (original) => {
  const files = await original<typeof import('node:fs/promises')>()
  const mkdir = async (...given: Parameters<typeof files.mkdir>) => {
    const made = await files.mkdir(...given)
    await beforeMaking.run()
    return made
  }
  return { ...files, mkdir }
})

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'mintmark-keys-'))
})
afterEach(() => rm(home, { recursive: true }))

const rootFile = () => join(home, 'keys', 'root.key')

describe('loadRootKey', () => {
  test('makes 32 bytes that only the owner may read, and reads the same ones again', async () => {
    const made = await loadRootKey({ home, createIfMissing: true })
    const again = await loadRootKey({ file: rootFile(), createIfMissing: false })
    expect(made.reveal()).toHaveLength(32)
    expect(again.reveal()).toEqual(made.reveal())
    expect((await stat(rootFile())).mode & 0o777).toBe(0o600)
    expect((await stat(join(home, 'keys'))).mode & 0o777).toBe(0o700)
  })

  test('32 concurrent firsts all get the one key that stays, and leave no draft behind', async () => {
    const keys = await Promise.all(Array.from({ length: 32 }, () => loadRootKey({ home, createIfMissing: true })))
    const stored = await readFile(rootFile())
    expect(keys.every((key) => key.reveal().equals(stored))).toBe(true)
    expect(await readdir(join(home, 'keys'))).toEqual(['root.key'])
  })

  test('a key that another process made in between is taken, not replaced', async () => {
    const theirs = Buffer.alloc(32, 9)
    beforeMaking.run = () => writeFile(rootFile(), theirs, { mode: 0o600 })
    try {
      expect((await loadRootKey({ home, createIfMissing: true })).reveal()).toEqual(theirs)
    } finally {
      beforeMaking.run = async () => {}
    }
    expect(await readFile(rootFile())).toEqual(theirs)
  })

  test('creates nothing unless told to', async () => {
    await expect(loadRootKey({ home, createIfMissing: false })).rejects.toThrow('is missing')
    expect(await readdir(home)).toEqual([])
  })

  test.each([0o640, 0o604, 0o660, 0o644])('refuses a file of mode %o', async (mode) => {
    await loadRootKey({ home, createIfMissing: true })
    await chmod(rootFile(), mode)
    await expect(loadRootKey({ home, createIfMissing: true })).rejects.toThrow('open to other users')
  })

  test.each([0, 31, 33, 64])('refuses a file of %i bytes, and does not replace it', async (length) => {
    await loadRootKey({ home, createIfMissing: true })
    await writeFile(rootFile(), Buffer.alloc(length))
    await expect(loadRootKey({ home, createIfMissing: true })).rejects.toThrow('exactly 32 bytes')
    expect(await readFile(rootFile())).toHaveLength(length)
  })
})

describe('deriveKeys', () => {
  const root = secret(Buffer.alloc(32, 7))

  test('every use has its own key', () => {
    const keys = Object.values(deriveKeys(root)).map((key) => key.reveal().toString('hex'))
    expect(new Set([...keys, root.reveal().toString('hex')]).size).toBe(keys.length + 1)
  })

  // The labels in full, a second time on purpose: a change in the program would orphan stored hashes and tokens.
  test.each([
    ['apiKeys', 'mintmark/v1/api-keys'],
    ['fingerprints', 'mintmark/v1/fingerprints'],
    ['sessionTokens', 'mintmark/v1/session-tokens'],
    ['launchSecrets', 'mintmark/v1/launch-secrets'],
    ['simulatedNetwork', 'mintmark/v1/simulated-network'],
    ['softwareAuthenticator', 'mintmark/v1/software-authenticator'],
    ['rowSeals', 'mintmark/v1/row-seals'],
    ['backups', 'mintmark/v1/backups'],
    ['contactLinks', 'mintmark/v1/contact-links'],
    ['storedResponses', 'mintmark/v1/stored-responses'],
    ['agentTickets', 'mintmark/v1/agent-tickets'],
    ['oauthEntries', 'mintmark/v1/oauth-entries'],
    ['oauthCookies', 'mintmark/v1/oauth-cookies'],
    ['oauthSigning', 'mintmark/v1/oauth-signing'],
    ['toolStates', 'mintmark/v1/tool-states'],
    ['receiptSubjects', 'mintmark/v1/receipt-subjects'],
  ] as [keyof DerivedKeys, string][])('%s is HKDF-SHA256 with the label %s', (use, label) => {
    const expected = Buffer.from(hkdfSync('sha256', root.reveal(), Buffer.alloc(0), label, 32))
    expect(deriveKeys(root)[use].reveal()).toEqual(expected)
  })

  test('another root gives other keys', () => {
    expect(deriveKeys(secret(Buffer.alloc(32, 8))).apiKeys.reveal()).not.toEqual(deriveKeys(root).apiKeys.reveal())
  })
})

test.each([
  ['sandbox', '3de48cdc632bd9296b878f16cd1ac4dff6f3822c1902c6654606128d857347e9'],
  ['production', '1ace92643c1ac1da4315ee9873fc42004dd3857eb8ef93d47331ed322670b8dc'],
] as const)(
  'the check value of a root key in %s is pinned: another one would refuse every database',
  (environment, value) => {
    expect(rootKeyCheck(secret(Buffer.alloc(32, 7)), environment).toString('hex')).toBe(value)
  },
)

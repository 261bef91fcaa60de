import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, inspect } from 'node:util'
import { serialize } from 'node:v8'
import { describe, expect, test } from 'vitest'
import { Secret, secret } from './secret.ts'

const PLANTED = '4242424242424242'
const hidden = secret(PLANTED)

/** Guarantee: a secret that meets a log line, a template, a JSON body or an error shows nothing of itself. */
describe('Secret', () => {
  test.each<[string, () => unknown]>([
    ['String()', () => String(hidden)],
    ['template', () => `${hidden}`],
    ['concat', () => 'number '.concat(hidden as unknown as string)],
    ['join', () => [hidden, hidden].join()],
    ['JSON.stringify', () => JSON.stringify(hidden)],
    ['JSON.stringify in an object', () => JSON.stringify({ card: { number: hidden }, list: [hidden] })],
    ['inspect', () => inspect(hidden)],
    ['inspect, deep', () => inspect({ card: { number: hidden }, list: [hidden] }, { depth: 9 })],
    ['inspect, everything shown', () => inspect(hidden, { showHidden: true, customInspect: false, getters: true })],
    ['format', () => format('%s %o %O %j', hidden, hidden, hidden, hidden)],
    ['own keys', () => inspect(Object.getOwnPropertyDescriptors(hidden))],
    ['spread', () => JSON.stringify({ ...hidden })],
    ['Object.assign', () => inspect(Object.assign({}, hidden))],
    ['structuredClone', () => inspect(structuredClone(hidden), { showHidden: true })],
    ['v8.serialize', () => serialize(hidden).toString('latin1')],
    ['error cause', () => inspect(new Error('failed', { cause: hidden }), { showHidden: true })],
    ['error property', () => inspect(Object.assign(new Error('failed'), { card: hidden }))],
    ['error message', () => new Error(`failed for ${hidden}`).stack],
    ['URL parameters', () => new URLSearchParams({ number: hidden as unknown as string }).toString()],
  ])('%s shows nothing', (_name, show) => {
    expect(String(show())).not.toContain(PLANTED)
  })

  test('a secret buffer shows neither its text nor its bytes', () => {
    const bytes = secret(Buffer.from(PLANTED))
    const shown = [
      inspect(bytes, { showHidden: true, customInspect: false }),
      JSON.stringify({ bytes }),
      `${bytes}`,
    ].join()
    expect(shown).not.toMatch(/4242|34 32|52,50/)
  })

  test('reveal is the one way to the value', () => {
    expect(hidden.reveal()).toBe(PLANTED)
    expect(hidden).toBeInstanceOf(Secret)
  })
})

/**
 * Where a secret may become plain, with the reason. A folder ends with a slash. Each new line is a place where a number
 * or a key can leak from, so it needs a second pair of eyes; most code passes secrets on without ever looking inside.
 */
const REVEALS: Record<string, string> = {
  'vault/': 'seals, fingerprints and opens card data',
  'network/': 'speaks to the card network and is its simulator',
  'platform/keys.ts': 'derives every key from the root key',
  'platform/row-seals.ts': 'seals rows with their key',
  'platform/key-provider.ts': 'wraps data keys with the key-encryption key',
  'platform/sealed-text.ts': 'seals stored responses with their key',
  'platform/archive.ts': 'encrypts backups',
  'http/api-reference.ts': "shows the sandbox's demo key to a browser of its own machine",
  'commands/key-bundle.ts': 'puts key files under a passphrase, and back',
  'keys/key-files.ts': 'names a key file by the key in it',
  'merchants/api-keys.ts': 'hashes API keys with their pepper',
  'sessions/launch.ts': 'hashes launch secrets with their key, and makes those of agents by it',
  'agents/rules.ts': 'makes the names of owners that agents see with their key',
  'agents/directory-key.ts': 'makes the key that signs the directory of agents',
  'agents/client-link.ts': 'tells by its key the browser that decided from others',
  'mcp/authorization.ts': 'gives the library of OAuth its keys',
  'mail/link.ts': 'makes the secrets of mailed links with their key',
  'mail/owner-code.ts': 'makes the codes that prove the address of an owner with their key',
  'mail/smtp.ts': 'names and logs in to the mail server',
  'sandbox/service.ts': 'seeds the software authenticator with its key',
  'commands/admin.ts': 'prints new keys once, to the operator who made them',
  'commands/sandbox-shop.ts': 'gives the shop of a sandbox its key',
  'commands/merchant-secrets.ts': 'names the new keys of an account for both of them',
  'checkout/adapters/connection.ts': 'tells a shop its key, and pays it with a card',
  'events/cursor.ts': 'seals the places of readers of the feed',
  'webhooks/wire.ts': 'shows the secret of an endpoint once, to its owner',
  'webhooks/signature.ts': 'signs what is sent to receivers',
  'sessions/token.ts': 'signs and verifies session tokens with their key',
}

describe('reveal()', () => {
  const source = join(import.meta.dirname, '..')
  const users = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => /\breveal\b/.test(withoutComments(readFileSync(join(source, file), 'utf8'))))

  test('is used only where the list allows it', () => {
    const allowed = Object.keys(REVEALS)
    const strangers = users.filter(
      (file) => file !== 'platform/secret.ts' && !allowed.some((place) => file === place || isInside(file, place)),
    )
    expect(strangers).toEqual([])
  })

  test('no file stays on the list after it stopped using it', () => {
    const files = Object.keys(REVEALS).filter((place) => !place.endsWith('/'))
    expect(files.filter((file) => !users.includes(file))).toEqual([])
  })
})

function isInside(file: string, place: string): boolean {
  return place.endsWith('/') && file.startsWith(place)
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}

import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { CompactSign } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ChainSource, checkChain } from './chain.ts'

// Guarantee: the page finds a receipt that is missing, moved, changed, signed by another key, or gone with all behind
// it.

let chain: string[]
let key: { publicKey: KeyObject; privateKey: KeyObject }
const hashOf = (jws: string) => createHash('sha256').update(jws).digest('base64url')

async function sign(position: number, previous: string | null, by = key.privateKey): Promise<string> {
  const payload = JSON.stringify({ chain: { position, previous } })
  return new CompactSign(Buffer.from(payload)).setProtectedHeader({ alg: 'ES256', kid: 'own' }).sign(by)
}

beforeAll(async () => {
  key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  chain = []
  for (let position = 1; position <= 7; position += 1) {
    const last = chain.at(-1)
    chain.push(await sign(position, last === undefined ? null : hashOf(last)))
  }
})

/** Three in a file, as a service would give them out. */
function source(receipts: readonly string[], changes: Partial<ChainSource> = {}): ChainSource {
  const { x = '', y = '' } = key.publicKey.export({ format: 'jwk' })
  const keys = [{ kty: 'EC', crv: 'P-256', x, y, kid: 'own', alg: 'ES256', use: 'sig' } as const]
  const newest = receipts.at(-1)
  return {
    newest: async () => (newest === undefined ? null : { position: receipts.length, sha256: hashOf(newest) }),
    behind: async (position) => ({ keys: { keys }, receipts: receipts.slice(position, position + 3) }),
    seen: null,
    ...changes,
  }
}
const headOf = (receipts: readonly string[]) => ({ position: receipts.length, sha256: hashOf(receipts.at(-1) ?? '') })

test('a whole chain is whole, over several files, and one that begins is none', async () => {
  expect(await checkChain(source(chain))).toEqual({ state: 'whole', head: headOf(chain) })
  expect(await checkChain(source(chain.slice(0, 1)))).toMatchObject({ state: 'whole' })
  expect(await checkChain(source([]))).toEqual({ state: 'none' })
  const seen = headOf(chain.slice(0, 4))
  expect(await checkChain(source(chain, { seen }))).toMatchObject({ state: 'whole' })
})

describe('what is not as it was signed', () => {
  const flipped = (jws: string, part: number) =>
    jws
      .split('.')
      .map((text, place) =>
        place === part ? text.replace(/^(.{12})(.)/, (_, start, one) => start + (one === 'A' ? 'B' : 'A')) : text,
      )
      .join('.')
  const cases: [string, () => string[] | Promise<string[]>, number][] = [
    ['one is missing', () => chain.toSpliced(3, 1), 4],
    ['two have changed places', () => chain.with(2, chain[3] as string).with(3, chain[2] as string), 3],
    ['one is there twice', () => chain.toSpliced(3, 0, chain[2] as string), 4],
    ['a payload is another', () => chain.with(4, flipped(chain[4] as string, 1)), 5],
    ['a signature is another', () => chain.with(4, flipped(chain[4] as string, 2)), 5],
    [
      'it is signed by another key',
      async () => {
        const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
        return chain.with(6, await sign(7, hashOf(chain[5] as string), other.privateKey))
      },
      7,
    ],
  ]
  test.each(cases)('%s', async (_, made, position) => {
    expect(await checkChain(source(await made()))).toEqual({ state: 'broken', position })
  })

  test('the newest are gone that this browser has seen', async () => {
    expect(await checkChain(source(chain.slice(0, 5), { seen: headOf(chain) }))).toEqual({
      state: 'broken',
      position: 6,
    })
    expect(await checkChain(source([], { seen: headOf(chain) }))).toEqual({ state: 'broken', position: 7 })
  })

  test('another chain stands where the one stood that this browser has seen', async () => {
    const other = [...chain.slice(0, 3)]
    for (let position = 4; position <= 7; position += 1) {
      const payload = JSON.stringify({ chain: { position, previous: hashOf(other.at(-1) ?? '') }, other: true })
      other.push(
        await new CompactSign(Buffer.from(payload))
          .setProtectedHeader({ alg: 'ES256', kid: 'own' })
          .sign(key.privateKey),
      )
    }
    expect(await checkChain(source(other))).toMatchObject({ state: 'whole' })
    expect(await checkChain(source(other, { seen: headOf(chain.slice(0, 5)) }))).toEqual({
      state: 'broken',
      position: 5,
    })
  })

  test('the list names another head than the file ends with', async () => {
    const newest = async () => ({ position: 7, sha256: hashOf(chain[5] as string) })
    expect(await checkChain(source(chain, { newest }))).toEqual({ state: 'broken', position: 7 })
    const further = async () => ({ position: 9, sha256: hashOf(chain[6] as string) })
    expect(await checkChain(source(chain, { newest: further }))).toEqual({ state: 'broken', position: 8 })
  })
})

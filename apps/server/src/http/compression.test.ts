// Guarantee: a page that was built is sent in the forms that lie beside it, and never in those of another build.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compressed, type Encodings, encodingsOf, encodingsOfFile } from './compression.ts'

const PAGE = '<!doctype html><title>Pay</title>'.repeat(40)

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mintmark-compression-'))
})
afterAll(() => rm(directory, { recursive: true }))

function expectPage(encodings: Encodings) {
  expect(brotliDecompressSync(encodings('gzip, br').body).toString()).toBe(PAGE)
  expect(gunzipSync(encodings('gzip, br;q=0').body).toString()).toBe(PAGE)
  expect(encodings(undefined)).toMatchObject({ body: Buffer.from(PAGE), headers: {} })
}

async function built(name: string, forms: { br?: Buffer; gz?: Buffer }): Promise<URL> {
  const file = join(directory, name)
  for (const [ending, body] of Object.entries(forms)) await writeFile(`${file}.${ending}`, body)
  return pathToFileURL(file)
}

test('a document is sent in the smallest form that its reader takes', async () => expectPage(await encodingsOf(PAGE)))

describe('a page that was built', () => {
  test('is sent as it lies there', async () => {
    const own = await compressed(Buffer.from(PAGE))
    const encodings = await encodingsOfFile(await built('right.html', own), PAGE)
    expectPage(encodings)
    expect(encodings('br').body).toEqual(own.br)
  })

  test.each([
    ['that are not there', async () => ({})],
    ['of another build', () => compressed(Buffer.from('<title>Older</title>'))],
    ['one of which is cut', async () => ({ ...(await compressed(Buffer.from(PAGE))), gz: Buffer.from('') })],
  ])('is not sent in forms %s', async (name, forms) => {
    expectPage(await encodingsOfFile(await built(`${name}.html`, await forms()), PAGE))
  })
})

// Guarantee: the page is the same document in every encoding, in every language the same script, and a path that is
// none has a page for people and the envelope for programs.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { SENTENCE_LANGUAGES } from '@mintmark/contract/sentence/version'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { textsIn } from '../../surface/src/text/languages.ts'
import { startTestService, type TestService } from './service.ts'

const DIST = new URL('../../surface/dist/', import.meta.url)
const PAGE = new URL('en.html', DIST)
const AS_A_BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())

/** Not by `fetch`, which unpacks what it gets. */
async function get(path: string, headers: Record<string, string>, base = service.surfaceUrl) {
  const { hostname, port } = new URL(base)
  const sent = request({ hostname, port, path, headers }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }
}

describe("the cardholder's page", () => {
  test.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['br;q=0.1, gzip;q=1.0', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['GZIP', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
    ['br; q=0.000, gzip;q=0', undefined, (body: Buffer) => body],
    ['brotli', undefined, (body: Buffer) => body],
    ['', undefined, (body: Buffer) => body],
  ])('for %j comes as %s, and is the page that was built', async (acceptEncoding, encoding, unpack) => {
    const { status, headers, body } = await get('/s/ma_x/ps_x', { 'accept-encoding': acceptEncoding })
    expect(status).toBe(200)
    expect(headers['content-encoding']).toBe(encoding)
    expect(headers.vary).toBe('accept-encoding, accept-language')
    expect(headers['content-length']).toBe(String(body.length))
    const html = unpack(body).toString()
    expect(html).toBe(await readFile(PAGE, 'utf8'))
    const [, script = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(html) ?? []
    const hash = createHash('sha256').update(script).digest('base64')
    expect(headers['content-security-policy']).toContain(`script-src 'sha256-${hash}';`)
  })

  test.each([
    [undefined, 'en'],
    ['de', 'de'],
    ['fr-CA, en;q=0.5', 'fr'],
    ['nl, es;q=0.2, ja;q=0.7', 'ja'],
    ['ar-EG;q=0, pt', 'en'],
  ])('for who reads %j is in %s, and caches keep them apart', async (acceptLanguage, language) => {
    const asked = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage }
    const { headers, body } = await get('/s/ma_x/ps_x', asked)
    expect(body.toString()).toBe(await readFile(new URL(`${language}.html`, DIST), 'utf8'))
    expect(headers['content-language']).toBe(language)
    expect(headers.vary).toBe('accept-encoding, accept-language')
  })

  test('is in every language the same script under the same policy, and at most 40 KB on the wire', async () => {
    const answers = await Promise.all(
      SENTENCE_LANGUAGES.map((language) =>
        get('/s/ma_x/ps_x', { 'accept-encoding': 'br', 'accept-language': language }),
      ),
    )
    expect(new Set(answers.map(({ headers }) => headers['content-security-policy'])).size).toBe(1)
    expect(
      answers.filter(({ body }) => body.length > 40 * 1024).map(({ headers }) => headers['content-language']),
    ).toEqual([])
    const documents = answers.map(({ body }) => brotliDecompressSync(body).toString())
    expect(new Set(documents.map((html) => /<script type="module">([\s\S]*?)<\/script>/.exec(html)?.[1])).size).toBe(1)
    for (const [index, html] of documents.entries()) {
      const [, data = ''] = /<script type="application\/json" id="texts">(.*?)<\/script>/.exec(html) ?? []
      expect(JSON.parse(data)).toMatchObject(textsIn(SENTENCE_LANGUAGES[index] ?? 'en'))
    }
  })
})

describe('the words of a language', () => {
  test('come by themselves, as they are in its document, and may be kept for ever', async () => {
    const html = (await get('/s/ma_x/ps_x', { 'accept-language': 'ja' })).body.toString()
    const [, data = ''] = /<script type="application\/json" id="texts">(.*?)<\/script>/.exec(html) ?? []
    const { version } = JSON.parse(data)
    const { status, headers, body } = await get(`/texts/ja-${version}.json`, { 'accept-encoding': 'br' })
    expect(status).toBe(200)
    expect(JSON.parse(brotliDecompressSync(body).toString())).toEqual(JSON.parse(data))
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  })

  test.each(['/texts/ja-0.json', '/texts/..%2fen.html', '/texts/', '/texts/en.html'])('%s is none', async (path) => {
    expect((await get(path, {})).status).toBe(404)
  })
})

describe('a path that is none', () => {
  test.each(['/', '/favicon.ico', '/s/ma_x', '/s/ma_x/ps_x/more', '/apis', '/docs?x=%00'])(
    '%s is a page for a person',
    async (path) => {
      const { status, headers, body } = await get(path, AS_A_BROWSER)
      expect(status).toBe(404)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers.vary).toBe('accept-language')
      expect(body.toString()).toContain('<h1>This address leads nowhere</h1>')
      expect(body.toString()).not.toMatch(/<script|ma_x|ps_x/)
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['x-content-type-options']).toBe('nosniff')
      const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(body.toString()) ?? []
      const hash = createHash('sha256').update(style).digest('base64')
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      )
    },
  )

  test.each([
    ['/s/%zz/x', 400, 'This address leads nowhere'],
    [`/s/ma_x/${'x'.repeat(3_000)}`, 404, 'This address leads nowhere'],
    ['/s/ma_x/ps%00x', 404, 'This address leads nowhere'],
  ])('%s is a page for a person too, with status %i', async (path, expected, heading) => {
    const { status, headers, body } = await get(path, AS_A_BROWSER)
    expect(status).toBe(expected)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['x-response-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(body.toString()).toContain(`<h1>${heading}</h1>`)
  })

  test.each([
    ['de-DE, en', 'lang="de"', 'Diese Adresse führt nirgendwohin'],
    ['ar', 'lang="ar" dir="rtl"', 'هذا العنوان لا يؤدي إلى أي مكان'],
  ])('a person who reads %s is told in that language', async (acceptLanguage, attributes, heading) => {
    const { headers, body } = await get('/s/ma_x', { ...AS_A_BROWSER, 'accept-language': acceptLanguage })
    expect(headers['content-language']).toBe(acceptLanguage.slice(0, 2))
    expect(body.toString()).toContain(`<html ${attributes}>`)
    expect(body.toString()).toContain(`<h1>${heading}</h1>`)
  })

  test('a person who loads the page too often reads that, and when to come back', async () => {
    const few = await startTestService({ env: { RATE_LIMIT_DOCUMENT: '2' } })
    const load = (headers: Record<string, string>) => get('/s/ma_x/ps_x', headers, few.surfaceUrl)
    for (let loads = 0; loads < 2; loads += 1) expect((await load(AS_A_BROWSER)).status).toBe(200)
    const { status, headers, body } = await load(AS_A_BROWSER)
    expect(status).toBe(429)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(body.toString()).toContain('<h1>One moment, please</h1>')
    expect(JSON.parse((await load({})).body.toString())).toMatchObject({ error: { code: 'RATE_LIMITED' } })
    await few.close()
  })

  test.each([
    ['/', { accept: '*/*' }],
    ['/', {}],
    ['/s/ma_x', { accept: 'application/json' }],
    ['/api/nothing', AS_A_BROWSER],
    ['/api', AS_A_BROWSER],
    ['/api/launch', AS_A_BROWSER],
  ])('%s is the envelope for a program: %j', async (path, headers) => {
    const answer = await get(path, headers)
    expect(answer.status).toBe(404)
    expect(JSON.parse(answer.body.toString())).toEqual({
      error: { code: 'NOT_FOUND', message: expect.stringMatching(/\w/) },
    })
  })
})

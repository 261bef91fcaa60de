// Guarantee: the page is the same document in every encoding, and a path that is none has a page for people and the
// envelope for programs.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from './service.ts'

const PAGE = new URL('../../surface/dist/index.html', import.meta.url)
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
    expect(headers.vary).toBe('accept-encoding')
    expect(headers['content-length']).toBe(String(body.length))
    const html = unpack(body).toString()
    expect(html).toBe(await readFile(PAGE, 'utf8'))
    const [, script = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(html) ?? []
    const hash = createHash('sha256').update(script).digest('base64')
    expect(headers['content-security-policy']).toContain(`script-src 'sha256-${hash}';`)
  })

  test('is at most 40 KB on the wire', async () => {
    const { body } = await get('/s/ma_x/ps_x', { 'accept-encoding': 'br' })
    expect(body.length).toBeLessThan(40_000)
  })
})

describe('a path that is none', () => {
  test.each(['/', '/favicon.ico', '/s/ma_x', '/s/ma_x/ps_x/more', '/apis', '/docs?x=%00'])(
    '%s is a page for a person',
    async (path) => {
      const { status, headers, body } = await get(path, AS_A_BROWSER)
      expect(status).toBe(404)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
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

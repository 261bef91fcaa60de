import { describe, expect, test } from 'vitest'
import { isLoopback, parseAddress } from '../../src/platform/egress/addresses.ts'
import { checkDestination } from '../../src/platform/egress/destination.ts'
import { OPERATOR, PUBLIC_AND_LOOPBACK, PUBLIC_ONLY, shopPolicy } from '../../src/platform/egress/policy.ts'
import { send } from '../../src/platform/egress/send.ts'
import { forbiddenAddresses, hostileUrls } from './hostile-urls.ts'
import type { Report } from './inside.ts'
import { hasNamespaces, inNamespace, NEEDS } from './namespace.ts'

// Guarantee: no request of the service reaches a private or reserved address, however it is spelled, resolved or
// redirected to. The corpus is made of the IANA tables and of spellings. EGRESS_ADDRESSES=20 takes so many addresses
// between the edges of each block instead of one.

const BETWEEN = Number(process.env.EGRESS_ADDRESSES ?? 1)
const urls = hostileUrls(BETWEEN)

describe('at save', () => {
  test('the corpus is large, and of every form', () => {
    expect(urls.length).toBeGreaterThan(5_000)
    expect(new Set(urls.map(({ form }) => form)).size).toBeGreaterThan(75)
  })

  test('no form is allowed', () => {
    expect(urls.filter(({ url }) => checkDestination(url, PUBLIC_ONLY).kind === 'allowed')).toEqual([])
  })

  test('a shop is where a webhook may be, and no longer answer makes another rule', () => {
    const { bodyBytes: _, ...strict } = shopPolicy({ allowLoopback: false })
    const { bodyBytes: __, ...loose } = shopPolicy({ allowLoopback: true })
    expect(PUBLIC_ONLY).toMatchObject(strict)
    expect(PUBLIC_AND_LOOPBACK).toMatchObject(loose)
  })

  test('an address that is spelled as usual is called what it is', () => {
    const { ipv4, ipv6 } = forbiddenAddresses(BETWEEN)
    const usual = [...ipv4.map((address) => `https://${address}/`), ...ipv6.map((address) => `https://[${address}]/`)]
    const reasons = usual.map((url) => checkDestination(url, PUBLIC_ONLY))
    expect(new Set(reasons.map((checked) => JSON.stringify(checked)))).toEqual(
      new Set(['{"kind":"refused","reason":"forbidden_address"}']),
    )
  })

  test('a sandbox that may call its own machine may call nothing else of them', () => {
    const { ipv4, ipv6 } = forbiddenAddresses(BETWEEN)
    const isAllowed = (url: string) => checkDestination(url, PUBLIC_AND_LOOPBACK).kind === 'allowed'
    for (const text of [...ipv4, ...ipv6]) {
      const address = parseAddress(text)
      const host = address?.version === 6 ? `[${text}]` : text
      const isOwn = address !== undefined && isLoopback(address)
      expect([text, isAllowed(`https://${host}:8443/`), isAllowed(`http://${host}/`)]).toEqual([text, isOwn, isOwn])
    }
    expect(isAllowed('http://8.8.8.8/')).toBe(false)
    expect(isAllowed('https://8.8.8.8:8443/')).toBe(true)
  })

  test.each([
    ['https://shop.example/hook?a=b&c=%20', 'https://shop.example/hook?a=b&c=%20'],
    ['HTTPS://Shop.Example', 'https://shop.example/'],
    ['https://shop.example:443/', 'https://shop.example/'],
    ['https://a-b.c_d.shop.example/ü', 'https://a-b.c_d.shop.example/%C3%BC'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://shop.example/a/../b', 'https://shop.example/b'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://[2606:4700:4700::1111]/', 'https://[2606:4700:4700::1111]/'],
    ['https://[2606:4700:4700:0:0:0:0:1111]/', 'https://[2606:4700:4700::1111]/'],
    ['https://192.0.1.1/', 'https://192.0.1.1/'],
    ['https://172.32.0.1/', 'https://172.32.0.1/'],
    ['https://223.255.255.255/', 'https://223.255.255.255/'],
    ['https://1.2.3.4.shop.example/', 'https://1.2.3.4.shop.example/'],
  ])('%s is allowed', (url, normalised) => {
    expect(checkDestination(url, PUBLIC_ONLY)).toEqual({ kind: 'allowed', url: normalised })
  })

  test.each([
    ['https://shop.example/#top', 'fragment'],
    ['https://shop.example/#', 'fragment'],
    ['http://shop.example/', 'scheme'],
    ['wss://shop.example/', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['https://@shop.example/', 'credentials'],
    ['https://:@shop.example/', 'credentials'],
    ['https://shop.example:8443/', 'port'],
    ['https://shop.example./', 'host'],
    ['https://shop/', 'host'],
    ['https://-shop.example/', 'host'],
    [`https://${'a'.repeat(64)}.example/`, 'host'],
    [`https://${'a.'.repeat(130)}example/`, 'host'],
    ['https://shop.example/a b', 'malformed'],
    ['https://shop.example/\u0000', 'malformed'],
    ['https://shop.example/\ud800', 'malformed'],
    ['https://sh%6fp.example/', 'malformed'],
    ['https://0x08080808/', 'malformed'],
    ['shop.example', 'malformed'],
    ['', 'malformed'],
    [`https://shop.example/${'a'.repeat(2028)}`, 'too_long'],
    // Short as it is written, and too long when it is encoded.
    [`https://shop.example/${'ü'.repeat(1000)}`, 'too_long'],
  ])('%s is refused: %s', (url, reason) => {
    expect(checkDestination(url, PUBLIC_ONLY)).toEqual({ kind: 'refused', reason })
  })

  test('a service that the operator chose may be private, in the clear, and have one word', () => {
    for (const url of ['http://vault:8200/v1', 'https://10.0.0.1/', 'http://169.254.169.254/computeMetadata']) {
      expect(checkDestination(url, OPERATOR)).toEqual({ kind: 'allowed', url })
    }
    expect(checkDestination('https://user@vault/', OPERATOR)).toMatchObject({ reason: 'credentials' })
  })
})

test('at send: every form is refused before a name is asked for', async () => {
  let asked = 0
  const resolve = async () => {
    asked += 1
    return ['127.0.0.1']
  }
  const categories = new Set<string>()
  for (const { url } of urls) {
    const outcome = await send({ url, method: 'POST', headers: {}, body: '{}', policy: { ...PUBLIC_ONLY, resolve } })
    categories.add(outcome.kind === 'failed' ? outcome.category : outcome.kind)
  }
  expect([...categories].sort()).toEqual(['forbidden_address', 'forbidden_url'])
  expect(asked).toBe(0)
})

const isPossible = await hasNamespaces()

test.skipIf(!isPossible)(
  `no packet reaches a forbidden address: by literal, by name, by rebinding, by redirect${isPossible ? '' : ` (skipped: ${NEEDS})`}`,
  { timeout: 300_000 },
  async () => {
    const report = (await inNamespace('inside.ts', [String(BETWEEN)])) as Report
    expect(report.urls).toBe(urls.length)
    // The canary hears, and the receiver at a public address is reached through the same rules.
    expect(report.controls).toEqual({ answered: ['200', '200'], heard: 12 })
    expect(report.strays).toEqual({ literals: 0, names: 0, rebinding: 0, redirects: 0 })
    expect(report.literalPackets).toBe(0)
    expect(Object.keys(report.outcomes.literals).sort()).toEqual(['forbidden_address', 'forbidden_url'])
    expect(report.outcomes.names).toEqual({ forbidden_address: report.addresses * 4 })
    expect(report.outcomes.redirects).toEqual({ 302: expect.any(Number) })
    expect(report.outcomes.rebinding.forbidden_address).toBeGreaterThan(50)
    expect(report.outcomes.rebinding.tls).toBe(report.outcomes.rebinding.forbidden_address)
  },
)

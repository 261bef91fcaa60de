// Guarantee: a merchant's pages look as its operator said, and only in ways that can be read; an image is a picture and
// nothing else, on the page's own origin; and who keeps the cards is named where the browser asks for the passkey.
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { decode, encode } from 'fast-png'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder, launch } from '../../test/cardholder.ts'
import { CARDS, createSession, newUser } from '../../test/flows.ts'
import { OPERATOR, startTestService, type TestService } from '../../test/service.ts'
import { loadOperatorLogo } from '../compose/operator.ts'
import { readConfig } from '../config.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: { OPERATOR_NAME: OPERATOR.OPERATOR_NAME } })
})
afterAll(() => service?.close())

const pngOf = (side = 8, text?: Record<string, string>) =>
  Buffer.from(
    encode({ width: side, height: side, data: new Uint8Array(side * side * 4).fill(90), ...(text && { text }) }),
  )
const set = (changes: object, merchantId = service.merchant.merchantId) =>
  service.app.merchants.setBrand(merchantId, changes)
const shown = async () =>
  (await launch(service, (await createSession(service.merchant)).iframe_url)).body.view.merchant.brand
const details = async (changes: object) =>
  (await set(changes).then(
    () => undefined,
    (error) => error.details,
  )) ?? {}

describe('the brand of a merchant', () => {
  test('is what its pages wear: what is not named stays, and what is null goes', async () => {
    await set({ accent: '#0b6b55', radius: 12, scheme: 'auto' })
    await set({ accentDark: '#58d3b2' })
    expect(await shown()).toEqual({ accent: '#0b6b55', accent_dark: '#58d3b2', radius: 12, scheme: 'auto' })
    expect(await set({ accent: null, accentDark: null, radius: null, scheme: null })).toEqual({})
    expect(await shown()).toEqual({})
  })

  test('is refused where it could not be read, with the ratio in both schemes', async () => {
    expect(await details({ accent: '#ffcc00', accentDark: '#222222', radius: 33, scheme: 'neon' })).toEqual({
      accent: 'must be 4.5:1 or more against the light page: #ffcc00 is 1.51:1 (and 11.47:1 against the dark one)',
      accent_dark: 'must be 4.5:1 or more against the dark page: #222222 is 1.09:1 (and 15.90:1 against the light one)',
      radius: 'must be a whole number of pixels from 0 to 32',
      scheme: 'must be one of light, dark, auto',
    })
    for (const accent of ['red', '#fff', 'url(x)', '#0b6b55;']) {
      expect(await details({ accent })).toEqual({ accent: 'must be a colour such as #0b6b55' })
    }
    expect(await shown()).toEqual({})
    await expect(set({ radius: 3 }, 'ma_none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('of many settings at the same time each is kept', async () => {
    const { merchantId } = await service.addMerchant()
    await Promise.all([{ accent: '#0b6b55' }, { radius: 4 }, { scheme: 'dark' }].map((one) => set(one, merchantId)))
    expect(await set({}, merchantId)).toEqual({ accent: '#0b6b55', radius: 4, scheme: 'dark' })
  })
})

describe('a logo', () => {
  const get = (path: string) => fetch(`${service.surfaceUrl}${path}`)

  test('is encoded anew, without what went with it, and served as a picture that no page can be', async () => {
    const given = Buffer.concat([pngOf(8, { Comment: 'a-planted-text' }), Buffer.from('<script>alert(1)</script>')])
    const { logo_url } = await set({ logo: given })
    expect(await shown()).toEqual({ logo_url })
    const answer = await get(logo_url ?? '')
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(bytes.toString('latin1')).not.toMatch(/planted|script/)
    expect(decode(bytes)).toMatchObject({ width: 8, height: 8 })
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    const other = await service.addMerchant()
    expect((await get(`${logo_url}`.replace(service.merchant.merchantId, other.merchantId))).status).toBe(404)
    const next = await set({ logo: pngOf(9) })
    expect((await get(logo_url ?? '')).status).toBe(404)
    expect((await get(next.logo_url ?? '')).status).toBe(200)
    expect(await set({ logo: null })).toEqual({})
    expect((await get(next.logo_url ?? '')).status).toBe(404)
  })

  /** A PNG of which only the header is true. */
  function claims(width: number, height: number, pixels: Buffer): Buffer {
    const part = (type: string, data: Buffer) => {
      const body = Buffer.concat([Buffer.from(type), data])
      const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
      length.writeUInt32BE(data.length)
      sum.writeUInt32BE(crc32(body))
      return Buffer.concat([length, body, sum])
    }
    const header = Buffer.alloc(13)
    header.writeUInt32BE(width)
    header.writeUInt32BE(height, 4)
    header.set([8, 6], 8)
    const signature = Buffer.from('89504e470d0a1a0a', 'hex')
    return Buffer.concat([
      signature,
      part('IHDR', header),
      part('IDAT', deflateSync(pixels)),
      part('IEND', Buffer.alloc(0)),
    ])
  }

  test.each([
    ['an image with a script', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'), 'is no PNG'],
    ['another format', Buffer.from('ffd8ffe000104a46494600', 'hex'), 'is no PNG'],
    ['nothing', Buffer.alloc(0), 'is no PNG'],
    ['the beginning alone', pngOf().subarray(0, 20), 'is a PNG that is damaged'],
    ['a changed byte', Buffer.from(pngOf()).fill(7, 40, 44), 'is a PNG that is damaged'],
    ['fewer pixels than it says', claims(64, 64, Buffer.alloc(10)), 'is a PNG that is damaged'],
    ['too many pixels', claims(20_000, 20_000, Buffer.alloc(10)), 'is more than 1024 pixels wide or high'],
    ['no pixels', claims(0, 0, Buffer.alloc(10)), 'is a PNG that is damaged'],
    ['too many bytes', Buffer.concat([pngOf(), Buffer.alloc(131_072)]), 'is larger than 128 KB'],
  ])('that is %s is refused', async (_, logo, problem) => {
    expect(await details({ logo })).toEqual({ logo: problem })
  })
})

describe('the operator', () => {
  test('is named where the browser asks for the passkey, which is the customer’s by a masked address', async () => {
    const options = async (changes: object) => {
      const { session_token } = await createSession(service.merchant, { user_id: newUser(), ...changes })
      const visitor = cardholder(service, session_token)
      await visitor.enterCard(CARDS.success)
      return (await visitor.post('/api/passkeys/registration-options', { frame: { embedded: false } })).body
    }
    const asked = await options({ user_email: 'ann.smith@shop.example' })
    expect(asked).toMatchObject({
      rp: { name: 'Northpay' },
      user: { name: 'a•••@shop.example', displayName: 'a•••@shop.example' },
    })
    expect(JSON.stringify(asked)).not.toContain('ann.smith')
  })

  test('has a logo that is read once, at the start, which ends on one that cannot be shown', async () => {
    const [good, bad] = [join(tmpdir(), `logo-${process.pid}.png`), join(tmpdir(), `logo-${process.pid}.svg`)]
    await writeFile(good, pngOf())
    await writeFile(bad, '<svg/>')
    const load = (file?: string) => loadOperatorLogo(readConfig(file === undefined ? {} : { OPERATOR_LOGO: file }))
    expect(await load()).toBeUndefined()
    expect(await load(good)).toMatchObject({ path: expect.stringMatching(/^\/logos\/operator\/[0-9a-f]{32}\.png$/) })
    await expect(load(bad)).rejects.toThrow(/OPERATOR_LOGO, .+\.svg, is no PNG\.$/)
    await expect(load('/nowhere.png')).rejects.toThrow('The file of OPERATOR_LOGO, /nowhere.png, cannot be read.')
  })
})

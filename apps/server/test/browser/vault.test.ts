// Guarantee: in a real browser a page on an allowed origin puts a card in the vault and reads what came of it, a page
// of another origin does neither, and both may show the art of a card.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dbRow } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser } from './browser.ts'

describeInBrowser('a page of a shop', (browser) => {
  let service: TestService
  let shop: Server
  let port: number
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    shop = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      response.end('<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">')
    })
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
    port = (shop.address() as AddressInfo).port
  })
  afterAll(async () => {
    shop?.close()
    await service?.close()
  })

  /** What the page gets when it calls with the publishable key, as far as the browser lets it see. */
  const put = (page: Page, card_number: string) => {
    const { publishableKey } = service.merchant
    const call = { url: `${service.apiUrl}/v1/vault/records`, key: publishableKey, card_number }
    return page.evaluate(async ({ url, key, card_number }) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ card_number, expiry_month: '12', expiry_year: '2040', cvv: '123' })
      try {
        const response = await fetch(url, { method: 'POST', headers, body })
        return { status: response.status, id: response.headers.get('x-response-id'), body: await response.json() }
      } catch (error) {
        return { failed: (error as Error).name }
      }
    }, call)
  }
  const recordCount = async () => (await dbRow(service, 'select count(*)::int as count from vault_records')).count

  it('on an allowed origin stores a card, and reads what is wrong with another', async () => {
    await browser.visit({ expects: [/status of 400/] }, async ({ page }) => {
      await page.goto(`http://127.0.0.1:${port}/`)
      expect(await put(page, '4242 4242 4242 4242')).toEqual({
        status: 201,
        id: expect.any(String),
        body: expect.objectContaining({ vault_ref_id: expect.any(String), card_last4: '4242' }),
      })
      expect(await put(page, '4242 4242 4242 4241')).toMatchObject({
        status: 400,
        body: { error: { details: { card_number: expect.any(String) } } },
      })
    })
  })

  it('on another origin stores nothing and reads nothing', async () => {
    const before = await recordCount()
    await browser.visit({ expects: [/CORS|ERR_FAILED|status of 404/] }, async ({ page }) => {
      await page.goto(`http://shop.test:${port}/`)
      expect(await put(page, '4242 4242 4242 4242')).toEqual({ failed: 'TypeError' })
    })
    expect(await recordCount()).toBe(before)
  })

  it('shows the art of a card', async () => {
    await browser.visit({}, async ({ page, shoot }) => {
      await page.goto(`http://127.0.0.1:${port}/`)
      const width = await page.evaluate(async (src) => {
        const image = new Image()
        image.crossOrigin = 'anonymous'
        image.src = src
        image.alt = 'Visa'
        document.body.append(image)
        await image.decode()
        return image.naturalWidth
      }, `${service.apiUrl}/v1/card-art/visa-1a1f71-ffffff-c7cbf0.svg`)
      expect(width).toBe(512)
      await shoot('card-art')
    })
  })
})

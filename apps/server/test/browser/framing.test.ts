import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { FRAME_PROTOCOL } from '@mintmark/contract'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSession, paymentResult } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser } from './browser.ts'
import { APPROVE, CARD_SECRETS, cardholder, readyToApprove } from './cardholder.ts'
import { type Embedder, heardBy, startEmbedder } from './embedder.ts'
import { press } from './press.ts'

const PAGE = new URL('../../../surface/dist/index.html', import.meta.url)
const REFUSED_FRAME = [/frame-ancestors/]
const CANCEL = { protocol: FRAME_PROTOCOL, type: 'cancel' }

describeInBrowser('the secure surface in a frame of another site', (browser) => {
  let service: TestService
  let embedder: Embedder
  const requests: string[] = []
  const record = (message: unknown) => requests.push(requestText((message as { request: IncomingMessage }).request))

  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    embedder = await startEmbedder()
    subscribe('http.server.request.start', record)
  })
  afterAll(async () => {
    unsubscribe('http.server.request.start', record)
    await embedder?.close()
    await service?.close()
  })

  const newSession = () => createSession(service.merchant, { integration_type: 'embedding' })
  const statusOf = async (id: string) => (await paymentResult(service.merchant, id)).body.status as string
  const launches = () => requests.filter((line) => line.startsWith('POST /api/launch')).length
  const cancels = () => requests.filter((line) => line.startsWith('POST /api/cancel')).length

  it('runs in a page of a registered origin, which hears the brand and last digits of the card and nothing more', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      await page.goto(embedder.page({ url: session.iframe_url }))
      await cardholder(page.frameLocator('iframe')).payAnew()
      await page.getByText('completed approved').waitFor()
      const heard = await heardBy(page)
      expect(new Set(heard.map(({ origin }) => origin))).toEqual(new Set([service.surfaceUrl]))
      expect(heard).toContainEqual(expect.objectContaining({ type: 'change', complete: true, brand: 'visa' }))
      expect(heard.find(({ type }) => type === 'card_collected')).toMatchObject({ card: { card_last4: '4242' } })
      expect(JSON.stringify(heard)).not.toMatch(CARD_SECRETS)
      expect(JSON.stringify(heard)).not.toMatch(/\bey[\w-]+\./)
    })
  })

  it('does not load in a page of an origin that is not registered, nor anywhere below one', async () => {
    const session = await newSession()
    const before = launches()
    await browser.visit({ expects: REFUSED_FRAME }, async ({ page }) => {
      await page.goto(embedder.page({ url: session.iframe_url, host: 'evil.test' }))
      await expectNotFramed(page)
    })
    await browser.visit({ expects: REFUSED_FRAME }, async ({ page }) => {
      // A registered page in between does not help.
      const inner = embedder.page({ url: session.iframe_url })
      await page.goto(embedder.page({ url: inner, host: 'evil.test', quiet: true }))
      await expectNotFramed(page)
    })
    await browser.visit({ expects: REFUSED_FRAME }, async ({ page }) => {
      // Nor does a registered address whose origin is `null`, in a sandbox.
      const inner = embedder.page({ url: session.iframe_url })
      await page.goto(embedder.page({ url: inner, sandbox: 'allow-scripts', quiet: true }))
      await expectNotFramed(page)
    })
    expect(launches()).toBe(before)
  })

  it('shows no form in a page of an origin that is not registered, where a browser loads it all the same', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      await page.route('**/api/launch', async (route) => {
        const response = await route.fetch()
        const { view, ...launched } = await response.json()
        const allowed_origins = ['https://shop.example']
        await route.fulfill({ response, json: { ...launched, view: { ...view, allowed_origins } } })
      })
      await page.goto(embedder.page({ url: session.iframe_url }))
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.heading('This page cannot be embedded here').waitFor()
      expect(await ann.surface.getByRole('textbox').count()).toBe(0)
    })
  })

  it('goes on in a tab where the frame may not use passkeys, and tells the page around it when that is done', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page, context, equip, shoot }) => {
      await page.goto(embedder.page({ url: session.iframe_url, allow: '' }))
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.enterCard()
      await ann.heading('Continue in a new tab').waitFor()
      await shoot('frame-without-permission')
      const opened = context.waitForEvent('page')
      await press(ann.surface.getByRole('link', { name: 'Continue in a new tab' }))
      const tab = await opened
      expect(await tab.evaluate(() => opener)).toBeNull()
      await equip(tab)
      await ann.heading('Finish in the other tab').waitFor()
      const there = cardholder(tab)
      await there.createPasskey()
      await there.approve()
      await there.heading('Approved').waitFor()
      await page.getByText('completed approved').waitFor()
      await ann.heading('Approved').waitFor()
    })
  })

  it('says nothing before a hello, and ignores messages that are malformed or of another window', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      await page.goto(embedder.page({ url: session.iframe_url, quiet: true }))
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.heading('Pay with a card').waitFor()
      const strangers = [
        null,
        'hello',
        ['hello'],
        { type: 'hello' },
        { protocol: 'mintmark.frame.0', type: 'hello' },
        { protocol: FRAME_PROTOCOL, type: 'hello', extra: true },
        CANCEL,
        { protocol: FRAME_PROTOCOL, type: '__proto__' },
      ]
      for (const message of strangers) await post(page, message)
      for (const sandbox of [true, false]) {
        await postFromBeside(page, { protocol: FRAME_PROTOCOL, type: 'hello' }, sandbox)
      }
      await ann.surface.getByLabel('Card number').fill('4242')
      expect(await heardBy(page)).toEqual([])

      await post(page, { protocol: FRAME_PROTOCOL, type: 'hello' })
      await page.getByText('ready').waitFor()
      for (const sandbox of [true, false]) await postFromBeside(page, CANCEL, sandbox)
      await post(page, { protocol: FRAME_PROTOCOL, type: 'cancel', session_id: session.session_id })
      await ann.surface.getByLabel('Card number').fill('4242 4242')
      expect(await statusOf(session.session_id)).toBe('pending')

      await post(page, CANCEL)
      await page.getByText('cancelled').waitFor()
      expect(await statusOf(session.session_id)).toBe('failed')
    })
    // Each message names the origin it is for.
    expect(await readFile(PAGE, 'utf8')).not.toMatch(/postMessage\([^)]*["'`]\*["'`]/)
  })

  it('asks for the end of the session once, however many messages ask it to', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      await page.goto(embedder.page({ url: session.iframe_url }))
      await cardholder(page.frameLocator('iframe')).heading('Pay with a card').waitFor()
      await page.getByText('ready').first().waitFor()
      const before = cancels()
      await page.evaluate((message) => {
        const frame = document.querySelector('iframe')?.contentWindow
        for (let sent = 0; sent < 200; sent += 1) frame?.postMessage(message, '*')
      }, CANCEL)
      await page.getByText('cancelled').waitFor()
      // What comes after the end asks for nothing either.
      await post(page, CANCEL)
      expect(cancels() - before).toBe(1)
      expect(await statusOf(session.session_id)).toBe('failed')
    })
  })

  it('takes no approval while it is covered or see-through', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page, authenticator, shoot }) => {
      await page.goto(embedder.page({ url: session.iframe_url }))
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.enterCard()
      await ann.createPasskey()
      await readyToApprove(ann.surface)
      const disguises: ((frame: HTMLElement) => void)[] = [
        (frame) => frame.style.setProperty('opacity', '0.01'),
        (frame) => {
          const cover = document.createElement('div')
          cover.id = 'cover'
          cover.style.cssText = 'position: fixed; inset: 0; pointer-events: none; background: #fff'
          frame.after(cover)
        },
        (frame) => frame.style.setProperty('transform', 'scale(0.2)'),
      ]
      for (const [index, disguise] of disguises.entries()) {
        await page.locator('iframe').evaluate(disguise)
        await ann.surface.locator('.button-waiting').waitFor({ state: 'attached' })
        await ann.button(APPROVE).dispatchEvent('click')
        if (index === 1) {
          await ann.surface.getByText('works once it and the words above it can be seen').waitFor({ state: 'attached' })
          await page.locator('#cover').evaluate((cover) => cover.style.setProperty('inset', '50% 0 0'))
          await shoot('frame-covered')
        }
        await page.evaluate(() => {
          document.querySelector('#cover')?.remove()
          document.querySelector('iframe')?.style.removeProperty('opacity')
          document.querySelector('iframe')?.style.removeProperty('transform')
        })
        await readyToApprove(ann.surface)
      }
      const [passkey] = await authenticator.credentials()
      expect(passkey?.signCount).toBe(1)
      expect(await statusOf(session.session_id)).toBe('pending')
      await ann.approve()
      await page.getByText('completed approved').waitFor()
    })
  })

  it('takes no approval while who is paid, how much or what is signed is covered', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page, authenticator }) => {
      await page.setViewportSize({ width: 640, height: 900 })
      await page.goto(embedder.page({ url: session.iframe_url }))
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.enterCard()
      await ann.createPasskey()
      for (const place of ['.party-name', '.amount', '.sentence']) {
        await readyToApprove(ann.surface)
        const box = await ann.surface.locator(place).boundingBox()
        await page.evaluate((at) => {
          const cover = document.createElement('div')
          cover.id = 'cover'
          cover.style.cssText = `position: fixed; pointer-events: none; background: #fff; left: ${at?.x}px; top: ${at?.y}px; width: ${at?.width}px; height: ${at?.height}px`
          document.body.append(cover)
        }, box)
        await ann.surface.locator('.button-waiting').waitFor()
        await ann.button(APPROVE).dispatchEvent('click')
        await page.evaluate(() => document.querySelector('#cover')?.remove())
      }
      expect((await authenticator.credentials())[0]?.signCount).toBe(1)
      await ann.approve()
      await page.getByText('completed approved').waitFor()
    })
  })

  it('takes no approval where the page around it shows the button alone', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      await page.goto(embedder.page({ url: session.iframe_url }))
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.enterCard()
      await ann.createPasskey()
      const button = await readyToApprove(ann.surface)
      expect((await button.textContent())?.replaceAll('\u00a0', ' ')).toBe('Approve $40.00 USD')
      // What a page shows that cuts the frame, on a screen that has room for more: the button and next to nothing around it.
      await page.addStyleTag({ content: 'html, body { overflow: auto } body { height: 90px }' })
      await ann.button(APPROVE).scrollIntoViewIfNeeded()
      await ann.surface.locator('.button-waiting').waitFor()
      await ann.button(APPROVE).dispatchEvent('click')
      expect(await statusOf(session.session_id)).toBe('pending')
      await page.addStyleTag({ content: 'body { height: 480px }' })
      await ann.approve()
      await page.getByText('completed approved').waitFor()
    })
  })

  it('puts neither the launch secret nor the token into an address, a referrer or any storage, but for what a reload needs', async () => {
    const session = await newSession()
    const secret = new URL(session.iframe_url).hash.slice(1)
    requests.length = 0
    await browser.visit({}, async ({ page, context }) => {
      const tokens: string[] = []
      context.on('response', async (response) => {
        if (response.url().endsWith('/api/launch')) tokens.push((await response.json()).session_token)
      })
      await page.goto(embedder.page({ url: session.iframe_url }))
      await cardholder(page.frameLocator('iframe')).payAnew()
      await page.getByText('completed approved').waitFor()
      // The answer was read on the way, beside the page.
      await expect.poll(() => tokens).toHaveLength(1)
      const [token = ''] = tokens
      expect([secret.length > 20, token.length > 20]).toEqual([true, true])
      expect(requests.some((line) => line.startsWith('POST /api/approvals'))).toBe(true)
      const [, frame] = page.frames()
      // The token of a session that is over changes nothing any more; it is with this entry of the history alone.
      expect(await frame?.evaluate(readStores)).toEqual([
        `history: ${JSON.stringify({ sessionToken: token, launchSecret: null })}`,
      ])
      expect(frame?.url()).toBe(session.iframe_url.replace(/#.*/, ''))
      const sent = requests.join('\n')
      for (const hidden of [secret, token, '4242424242424242']) expect(sent).not.toContain(hidden)
      // Only the page around the frame may be a referrer, and the surface never one.
      expect(requests.filter((line) => line.includes(`referer: ${service.surfaceUrl}`))).toEqual([])
      // In a tab no browser policy stands between the page and the stores.
      await page.goto(session.iframe_url)
      await cardholder(page).heading('Approved').waitFor()
      expect(page.url()).toBe(session.iframe_url.replace(/#.*/, ''))
      const kept = await page.evaluate(readStores)
      expect(kept).toHaveLength(1)
      expect(kept[0]).toMatch(/^history: \{"sessionToken":"[\w.-]+","launchSecret":null\}$/)
      expect(kept[0]).not.toContain(secret)
    })
  })

  it('runs nothing but what was built, and calls nobody but its own backend', async () => {
    const session = await newSession()
    const response = await fetch(session.iframe_url)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/script-src 'sha256-[\w+/=]+';/)
    expect(policy).toMatch(/style-src 'sha256-[\w+/=]+';/)
    expect(policy).toMatch(/frame-ancestors http:\/\/localhost:\* http:\/\/127\.0\.0\.1:\*/)
    expect(policy).not.toContain('unsafe')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('cache-control')).toBe('no-store')

    const expects = [/Content Security Policy|Trusted ?(Types|Script|HTML)/i]
    await browser.visit({ expects }, async ({ page }) => {
      await page.goto(session.iframe_url)
      await cardholder(page).heading('Pay with a card').waitFor()
      const reached = await page.evaluate(async (elsewhere) => {
        const attempt = (work: () => unknown) => {
          try {
            work()
          } catch {
            // Trusted Types throw; what matters is whether the script ran.
          }
        }
        const script = (fill: (element: HTMLScriptElement) => void) =>
          attempt(() => {
            const element = document.createElement('script')
            fill(element)
            document.body.append(element)
          })
        script((element) => element.append('window.injected = true'))
        script((element) => element.setAttribute('src', elsewhere))
        attempt(() => document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.injected = true">'))
        const called = await fetch(elsewhere).then(
          () => true,
          () => false,
        )
        return { called, injected: 'injected' in window }
      }, `${service.apiUrl}/ready`)
      expect(reached).toEqual({ called: false, injected: false })
    })
  })
})

/** A request as the server got it: line and headers, no body. */
function requestText({ method, url, headers }: IncomingMessage): string {
  // The bearer token belongs into this one header.
  const { authorization: _, ...others } = headers
  const lines = Object.entries(others).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${url}`, ...lines].join('\n')
}

async function expectNotFramed(page: Page): Promise<void> {
  await expect.poll(() => page.frames().at(-1)?.url()).toMatch(/^chrome-error:/)
}

function post(page: Page, message: unknown): Promise<void> {
  return page.evaluate((data) => document.querySelector('iframe')?.contentWindow?.postMessage(data, '*'), message)
}

/** From a frame beside the surface, whose origin is `null` in a sandbox, and the page's own without one. */
async function postFromBeside(page: Page, message: unknown, isSandboxed: boolean): Promise<void> {
  await page.evaluate(
    async ([data, isSandboxed]) => {
      const frame = document.createElement('iframe')
      frame.title = 'Stranger'
      if (isSandboxed) frame.sandbox.add('allow-scripts')
      frame.srcdoc = `<script>parent.frames[0].postMessage(${JSON.stringify(data)}, '*'); parent.postMessage('sent', '*')</script>`
      const sent = new Promise((resolve) => {
        addEventListener('message', (event) => event.data === 'sent' && resolve(null))
      })
      document.body.append(frame)
      await sent
      frame.remove()
    },
    [message, isSandboxed] as const,
  )
}

/** Runs in the page: everything it left behind. A store that the browser refuses to a frame holds nothing. */
async function readStores(): Promise<string[]> {
  const stores: [string, () => unknown][] = [
    ['local', () => Object.keys(localStorage)],
    ['session', () => Object.keys(sessionStorage)],
    ['cookie', () => document.cookie],
    ['databases', () => indexedDB.databases()],
    ['caches', () => caches.keys()],
    ['history', () => history.state ?? ''],
    ['name', () => window.name],
  ]
  const found: string[] = []
  for (const [name, read] of stores) {
    const content = await (async () => read())().catch(() => '')
    const text = JSON.stringify(content)
    if (text !== '""' && text !== '[]') found.push(`${name}: ${text}`)
  }
  return found
}

/** A DEVELOPMENT TOOL: the page inside another site's page. */
import type { Page } from 'playwright-core'
import { addAuthenticator } from './browser.ts'
import { ensure, freshSecret, headed, type Journey, type Scene, same } from './journey.ts'
import { typeCard } from './shots.ts'

const PASSKEYS = 'publickey-credentials-get *; publickey-credentials-create *'

async function embed({ page, surface, shop }: Scene, scenario: string, allow: string): Promise<string> {
  const frame = `${surface}/s/ma_x/${scenario}#${freshSecret()}`
  await page.addInitScript('window.heard = []; addEventListener("message", (event) => heard.push(event.data))')
  await page.goto(`${shop}/merchant?frame=${encodeURIComponent(frame)}&allow=${encodeURIComponent(allow)}`)
  return frame
}

const say = (page: Page, message: unknown) =>
  page.evaluate(`document.querySelector('iframe').contentWindow.postMessage(${JSON.stringify(message)}, '*')`)
const heard = (page: Page) => page.evaluate('heard') as Promise<{ type: string; [field: string]: unknown }[]>
const hello = { protocol: 'mintmark.frame.1', type: 'hello' }

export const FRAME_JOURNEYS: Record<string, Journey> = {
  'embedded: says nothing before hello, then tells each step, never card data': async (scene) => {
    const { page } = scene
    await addAuthenticator(page)
    await embed(scene, 'card', PASSKEYS)
    const frame = page.frameLocator('iframe')
    await headed(frame, 'Pay with a card')
    same(await heard(page), [])
    await say(page, { type: 'hello' })
    await say(page, { ...hello, protocol: 'other' })
    await say(page, { protocol: 'mintmark.frame.1', type: 'cancel' })
    await page.waitForTimeout(200)
    same(await heard(page), [])
    await say(page, hello)
    await say(page, hello)
    await page.waitForFunction('heard.length >= 3')
    same((await heard(page))[0]?.type, 'ready')
    await typeCard(frame as unknown as Page, '4242424242424242')
    await frame.getByRole('button', { name: 'Continue' }).click()
    await frame.getByRole('button', { name: 'Create a passkey' }).click()
    await headed(frame, /^Approve \$40\.00/)
    await frame.locator('.button-primary:not(.button-waiting)').click()
    await headed(frame, 'Approved')
    await page.waitForFunction("heard.some(({ type }) => type === 'completed')")
    const messages = await heard(page)
    ensure(messages.some(({ type, complete, brand }) => type === 'change' && complete === true && brand === 'visa'))
    ensure(messages.some(({ type }) => type === 'card_collected'))
    ensure(messages.some(({ type, height }) => type === 'resize' && Number(height) > 200))
    same(JSON.stringify(messages).match(/4242424242424242|4242 4242|Ada|"123"|run\d/g), null)
  },

  'embedded: another frame of the same page is not heard': async (scene) => {
    const { page } = scene
    await embed(scene, 'card', PASSKEYS)
    await headed(page.frameLocator('iframe').first(), 'Pay with a card')
    await page.evaluate(`(() => {
      const stranger = document.body.appendChild(document.createElement('iframe'))
      const script = stranger.contentDocument.createElement('script')
      script.text = 'parent.frames[0].postMessage(' + JSON.stringify(${JSON.stringify(hello)}) + ", '*')"
      stranger.contentDocument.body.append(script)
    })()`)
    await page.waitForTimeout(300)
    same(await heard(page), [])
  },

  'embedded: the shop cancels': async (scene) => {
    const { page } = scene
    await embed(scene, 'card', PASSKEYS)
    await headed(page.frameLocator('iframe'), 'Pay with a card')
    await say(page, hello)
    await say(page, { ...hello, type: 'cancel' })
    await headed(page.frameLocator('iframe'), 'Payment cancelled')
    await page.waitForFunction("heard.some(({ type }) => type === 'cancelled')")
  },

  'embedded without permission: continues in a tab, and the frame notices': async (scene) => {
    const { page } = scene
    await embed(scene, 'registration', '')
    const frame = page.frameLocator('iframe')
    await headed(frame, 'Continue in a new tab')
    const opened = page.context().waitForEvent('page')
    await frame.getByRole('link', { name: 'Continue in a new tab' }).click()
    const tab = await opened
    await headed(frame, 'Finish in the other tab')
    await addAuthenticator(tab)
    await tab.getByRole('button', { name: 'Create a passkey' }).click()
    await headed(tab, /^Approve \$40\.00/)
    await tab.locator('.button-primary:not(.button-waiting)').click()
    await headed(tab, 'Approved')
    same(await tab.evaluate('opener'), null)
    await page.bringToFront()
    await headed(frame, 'Approved')
  },

  'embedded and covered: approve stays shut and says why': async (scene) => {
    const { page } = scene
    await addAuthenticator(page)
    await embed(scene, 'approval', PASSKEYS)
    const frame = page.frameLocator('iframe')
    await frame.locator('.button-primary:not(.button-waiting)').waitFor()
    await page.evaluate(`document.querySelector('iframe').style.opacity = '0.1'`)
    await frame.locator('.button-primary.button-waiting').waitFor()
    await frame.getByText('works once all of it can be seen').waitFor()
    await page.evaluate(`document.querySelector('iframe').style.opacity = ''`)
    await frame.locator('.button-primary:not(.button-waiting)').waitFor()
    await page.evaluate(`(() => {
      const cover = document.body.appendChild(document.createElement('div'))
      cover.style.cssText = 'position:fixed;inset:0;background:rgb(255 0 0 / 30%);pointer-events:none'
    })()`)
    await frame.locator('.button-primary.button-waiting').waitFor()
  },

  'embedded by an unregistered origin: shows no form': async (scene) => {
    const { page } = scene
    await page.route('**/api/launch', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { view: { allowed_origins: string[] } }
      body.view.allowed_origins = ['https://shop.example']
      await route.fulfill({ response, json: body })
    })
    await embed(scene, 'card', PASSKEYS)
    await headed(page.frameLocator('iframe'), 'This page cannot be embedded here')
  },
}

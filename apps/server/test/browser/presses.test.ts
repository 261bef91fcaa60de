// Guarantee: a press does what the person meant, no press is lost, none reaches what has just appeared; and what is read
// is what is signed, in its order.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Mock, startMock } from '../../../surface/dev/mock-server.ts'
import { LOOKS, typeCard } from '../../../surface/dev/scenes.ts'
import { AMEX, DINERS, FOREIGN } from '../../../surface/dev/views.ts'
import { describeInBrowser, VIEWPORTS } from './browser.ts'
import { APPROVE, cardholder, SENTENCE } from './cardholder.ts'
import { holdRequests } from './held.ts'
import { inSight, pressInSight } from './in-sight.ts'

describeInBrowser('presses', (browser) => {
  let mock: Mock
  let base = ''
  beforeAll(async () => {
    mock = await startMock()
    base = mock.base
  })
  afterAll(() => mock?.close())

  it.concurrent('the first one on Continue counts after a wrong field, also where its words take two lines', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.setViewportSize(VIEWPORTS.phone)
      let submits = 0
      await page.exposeFunction('submitted', () => {
        submits += 1
      })
      await page.goto(`${base}/card#x`)
      await page.getByLabel('Card number').fill('4242424242424242')
      await page.getByLabel('Expiry date').fill('1230')
      await page.getByLabel('Security code').pressSequentially('12')
      await page.evaluate(() => {
        const { submitted } = window as unknown as { submitted(): void }
        document.addEventListener('submit', () => submitted(), true)
      })
      await pressSlowly(page, page.getByRole('button', { name: 'Continue' }))
      await page.getByText('The security code has 3 digits.').waitFor()
      expect(submits).toBe(1)
      expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('card-code')
    })
  })

  it.concurrent('what is wrong with a field moves nothing', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.goto(`${base}/card#x`)
      const button = page.getByRole('button', { name: 'Continue' })
      await page.getByLabel('Card number').pressSequentially('4242 4242 4242 4241')
      const before = await button.boundingBox()
      await page.keyboard.press('Tab')
      await page.getByText('This card number is not right.').waitFor()
      expect(await button.boundingBox()).toEqual(before)
    })
  })

  it.concurrent('the hint for American Express moves nothing', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.goto(`${base}/card#x`)
      const button = page.getByRole('button', { name: 'Continue' })
      const before = await button.boundingBox()
      await page.getByLabel('Card number').pressSequentially('3782')
      await page.getByText('4 digits on the front').waitFor()
      expect(await button.boundingBox()).toEqual(before)
    })
  })

  it.concurrent('a second one at the same place does nothing on the next screen', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.setViewportSize(VIEWPORTS.phone)
      await page.clock.install()
      await page.goto(`${base}/saved#x`)
      const ann = cardholder(page)
      await ann.heading('Choose a card').waitFor()
      // From here on all of it is in one moment for the page, however long the browser takes.
      await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 10_000)
      const box = await page.getByRole('button', { name: 'Continue' }).boundingBox()
      const place = { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 }
      await ann.button('Continue').click()
      await ann.heading(/^Approve/).waitFor()
      await page.mouse.click(place.x, place.y)
      await page.mouse.click(place.x, place.y)
      const wayOut = await page.getByRole('button', { name: 'Cancel' }).boundingBox()
      expect(await page.getByText('Cancel this payment?').count()).toBe(0)
      // Far from the thumb, at the top of its screen.
      const heading = await ann.heading(/^Approve/).boundingBox()
      expect((wayOut?.y ?? 0) + (wayOut?.height ?? 0)).toBeLessThanOrEqual((heading?.y ?? 0) + 1)
      expect(wayOut?.x).toBeGreaterThan(VIEWPORTS.phone.width / 2)
    })
  })

  it.concurrent('one on what has just appeared is not taken, a little later it is', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.goto(`${base}/card#x`)
      const ann = cardholder(page)
      await ann.heading('Pay with a card').waitFor()
      await ann.button('Cancel').waitFor()
      // Looked at in the page, because 400 ms may pass on the way to a busy browser and back.
      const [first, later] = await page.evaluate(async () => {
        const named = (name: string) => [...document.querySelectorAll('button')].find((all) => all.textContent === name)
        const takesPresses = () => {
          const button = named('Yes, cancel')
          const { x, y } = button?.getBoundingClientRect() ?? { x: 0, y: 0 }
          return button !== undefined && document.elementFromPoint(x + 5, y + 20) === button
        }
        named('Cancel')?.click()
        const immediately = takesPresses()
        // The page set its own timer first, and to less.
        await new Promise((resolve) => setTimeout(resolve, 600))
        return [immediately, takesPresses()]
      })
      expect([first, later]).toEqual([false, true])
      await ann.button('Yes, cancel').click()
      await ann.heading('Payment cancelled').waitFor()
    })
  })

  it.concurrent('one that approves is not taken in the half second in which its button comes into sight', async ({
    expect,
  }) => {
    await browser.visit({}, async ({ page }) => {
      await page.clock.install()
      // The page's clock stands still but for what this test lets pass.
      await page.clock.pauseAt(Date.now() + 60_000)
      await page.goto(`${base}/approval#x`)
      await page.locator(SENTENCE).waitFor()
      await page.evaluate(() => {
        CredentialsContainer.prototype.get = () => new Promise(() => {})
      })
      const approve = cardholder(page).button(APPROVE)
      const asking = cardholder(page).button('Waiting for your passkey…')
      await approve.scrollIntoViewIfNeeded()
      // Longer than what has just appeared takes no press at all.
      await page.clock.runFor(450)
      await approve.click({ force: true })
      const isTaken = await asking.isVisible()
      await page.clock.resume()
      expect(isTaken).toBe(false)
      await pressInSight(page, approve)
      await asking.waitFor()
    })
  })

  it.concurrent('Escape takes the question back, and the focus with it', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.goto(`${base}/card#x`)
      const ann = cardholder(page)
      await ann.button('Cancel').click()
      await page.getByText('Cancel this payment?').waitFor()
      await page.keyboard.press('Escape')
      expect(await page.getByText('Cancel this payment?').count()).toBe(0)
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel')
    })
  })

  it.concurrent('while one is worked on, its button, its fields and the screen reader say so', async () => {
    await browser.visit({ expects: [/status of 400/] }, async ({ page }) => {
      const answer = await holdRequests(page, '**/api/cards')
      await page.goto(`${base}/card#x`)
      await typeCard(page, '4000000000000002')
      await page.getByRole('button', { name: 'Continue' }).click()
      const busy = page.getByRole('button', { name: 'Checking your card…' })
      await busy.waitFor()
      expect(await page.locator('.visually-hidden[role=status]').textContent()).toBe('Checking your card…')
      const editable = () =>
        page
          .locator('input')
          .evaluateAll((inputs) =>
            (inputs as HTMLInputElement[]).map(({ type, readOnly, disabled }) =>
              type === 'checkbox' ? disabled : readOnly,
            ),
          )
      expect(await editable()).toEqual([true, true, true, true])
      // Less motion is asked for here, and something still moves on: the mark grows fainter and back.
      expect(await busy.evaluate((button) => getComputedStyle(button, '::before').animationName)).toBe('breathe')
      answer()
      await page.getByText('Your bank said no to this card.').waitFor()
      expect(await editable()).toEqual([false, false, false, false])
      await page.getByRole('button', { name: 'Continue' }).waitFor()
      expect(await page.locator('.visually-hidden[role=status]').textContent()).toBe('')
    })
  })

  it.concurrent('one that approves is one, whatever comes into sight while it is worked on', async ({ expect }) => {
    await browser.visit({}, async ({ page }) => {
      let dialogs = 0
      await page.exposeFunction('asked', () => {
        dialogs += 1
      })
      await page.goto(`${base}/setup-limits#x`)
      await page.evaluate(() => {
        const { asked } = window as unknown as { asked(): void }
        CredentialsContainer.prototype.get = () => {
          asked()
          return new Promise(() => {})
        }
      })
      await page.locator(SENTENCE).waitFor()
      const allow = page.locator('.button-primary')
      await pressInSight(page, allow)
      await page.getByRole('button', { name: 'Waiting for your passkey…' }).waitFor()
      await expect.poll(() => dialogs).toBe(1)
      // The button is looked at anew by each of these.
      await page.setViewportSize(LOOKS.low.viewport)
      await page.evaluate(() => scrollTo(0, 0))
      await allow.scrollIntoViewIfNeeded()
      // Longer than it must be in sight. No verdict hangs on it: a page that takes longer is not wrong.
      await page.waitForTimeout(800)
      await inSight(page, allow)
      expect(await allow.getAttribute('aria-disabled')).toBe('true')
      await allow.click({ force: true })
      // As above.
      await page.waitForTimeout(300)
      expect(dialogs).toBe(1)
    })
  })

  it.concurrent('who reads the end stays with it, and who does nothing is taken back', async () => {
    const ways: ((page: Page) => Promise<unknown>)[] = [
      (page) => page.getByRole('button', { name: 'Stay on this page' }).click(),
      (page) => page.keyboard.press('ArrowDown'),
      (page) => page.mouse.click(5, 300),
      (page) => page.mouse.wheel(0, 200),
    ]
    await browser.visit({}, async ({ page }) => {
      await page.route('https://shop.test/**', (route) => route.fulfill({ body: 'The shop', contentType: 'text/html' }))
      await page.clock.install()
      for (const stay of ways) {
        // The page loads itself again where its own address is opened a second time, after a moment in which the one before is there.
        await page.goto('about:blank')
        await page.goto(`${base}/hosted#x`)
        await cardholder(page).heading('Approved').waitFor()
        expect(await page.locator('.visually-hidden[role=status]').textContent()).toContain('a button to stay')
        await stay(page)
        await page.getByText('This page stays.').first().waitFor()
        await page.clock.fastForward(60_000)
        expect(page.url()).toContain(base)
      }
      await page.getByRole('button', { name: 'Return to shop.test' }).click()
      await page.getByText('The shop').waitFor()
      await page.goto(`${base}/hosted#x`)
      await cardholder(page).heading('Approved').waitFor()
      await page.clock.fastForward(60_000)
      await page.getByText('The shop').waitFor()
    })
  })

  it.concurrent('a phone that shows the keys of digits shows those of letters where a code has some', async () => {
    await browser.visit({}, async ({ page, context }) => {
      const way = page.getByRole('button', { name: 'My code has letters' })
      const code = page.getByLabel('One-time code')
      await page.goto(`${base}/verification#x`)
      await code.waitFor()
      expect(await way.isVisible()).toBe(false)
      const devtools = await context.newCDPSession(page)
      await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true })
      expect(await code.getAttribute('inputmode')).toBe('numeric')
      await way.click()
      expect(await code.getAttribute('inputmode')).toBe('text')
      expect(await code.evaluate((input) => input === document.activeElement)).toBe(true)
      expect(await way.count()).toBe(0)
    })
  })

  it.concurrent('Continue goes on with a saved card also where the chosen one is none of them', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.goto(`${base}/verification#x`)
      const ann = cardholder(page)
      await ann.button('Use another card').click()
      await ann.heading('Choose a card').waitFor()
      const chosen = () => page.getByRole('radio', { checked: true }).getAttribute('value')
      expect(await chosen()).toBe(AMEX.card_id)
      // With the keyboard another one.
      for (const key of ['Tab', 'ArrowDown']) await page.keyboard.press(key)
      expect(await chosen()).toBe(DINERS.card_id)
      await ann.button('Continue').click()
      await ann.heading(/^Approve/).waitFor()
    })
  })

  it.concurrent('what is read is what is signed, each name apart, whatever its direction', async () => {
    const { merchant_name, description, products } = FOREIGN
    await browser.visit({}, async ({ page }) => {
      await page.goto(`${base}/foreign-approval#x`)
      await page.locator(SENTENCE).waitFor()
      const read = (selector: string) =>
        page.locator(selector).evaluateAll((all) => all.map(({ textContent }) => textContent))
      expect(await read('.description > bdi')).toEqual([description])
      expect(await read('.bill .line-name > bdi')).toEqual(products.map(({ name }) => name))
      expect(await read('.party-name > bdi')).toEqual([merchant_name])
      // The name is in another script, and the sentence is not turned around by it.
      expect(await page.locator('.sentence').getAttribute('dir')).toBe('ltr')
      expect(await page.locator('.sentence').textContent()).toContain(merchant_name)
      // As a screen reader has it: a list, in the order of what is signed.
      const tree = await page.locator('.bill').ariaSnapshot()
      const places = products.map(({ name }) => tree.indexOf(name))
      expect(places.every((place, index) => place > (places[index - 1] ?? 0))).toBe(true)
      expect(tree.match(/- listitem/g)).toHaveLength(products.length)
      expect(await page.title()).toContain(`\u2068${merchant_name}\u2069`)
    })
  })

  it.concurrent('a long list opens in place and is folded again, and what is not explained is never folded', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.setViewportSize(VIEWPORTS.phone)
      await page.goto(`${base}/approval-thirty#x`)
      await page.locator(SENTENCE).waitFor()
      const shown = () => page.locator('.bill > li:visible').count()
      const [all, less] = ['See all 31 items', 'See less'].map((name) =>
        page.getByRole('button', { name, exact: true }),
      )
      expect(await shown()).toBe(3)
      expect(await all?.getAttribute('aria-expanded')).toBe('false')
      await all?.click()
      expect(await shown()).toBe(31)
      expect(await less?.getAttribute('aria-expanded')).toBe('true')
      await less?.click()
      expect(await shown()).toBe(3)
      await page.goto('about:blank')
      await page.goto(`${base}/huge#x`)
      await page.locator(SENTENCE).waitFor()
      await page.locator('.bill-unlisted:visible').waitFor()
      expect(await shown()).toBe(4)
    })
  })

  it.concurrent('the address of who is paid stands on one line where one has room for it', async () => {
    await browser.visit({}, async ({ page }) => {
      for (const [viewport, name, place] of [
        [VIEWPORTS.phone, 'approval', '.party-host'],
        [VIEWPORTS.desktop, 'approval', '.party-host'],
        [VIEWPORTS.phone, 'approved', '.receipt'],
      ] as const) {
        await page.setViewportSize(viewport)
        await page.goto('about:blank')
        await page.goto(`${base}/${name}#x`)
        const address = page.locator(`${place} bdi`, { hasText: 'shop.northwind.example' })
        await address.waitFor()
        const lines = await address.evaluate((text) => new Set([...text.getClientRects()].map(({ top }) => top)).size)
        expect(lines).toBe(1)
      }
    })
  })

  it.concurrent('who is about to approve reads that a new passkey was made', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.goto(`${base}/new-passkey#x`)
      await page.getByText(/A new passkey was made for you: Nov 21, .*If that was not you, do not approve/).waitFor()
      await page.goto('about:blank')
      await page.goto(`${base}/approval#x`)
      await page.locator(SENTENCE).waitFor()
      expect(await page.getByText('A new passkey was made').count()).toBe(0)
    })
  })

  it.concurrent('over the amount stands what became of it, and the test card is shown only where a card is asked for', async () => {
    const said: Record<string, string> = {
      card: 'To pay',
      processing: 'In progress',
      approved: 'Approved',
      failed: 'Not charged',
      cancelled: 'Not charged',
      over: 'Not charged',
      withdrawn: 'Not charged',
    }
    await browser.visit({}, async ({ page }) => {
      for (const [scenario, label] of Object.entries(said)) {
        await page.goto('about:blank')
        await page.goto(`${base}/${scenario}#x`)
        await page.locator('.amount-label').waitFor()
        expect(await page.locator('.amount-label').textContent()).toBe(label)
        expect(await page.locator('.sandbox-hint').isVisible()).toBe(scenario === 'card')
      }
    })
  })

  it.concurrent('the label follows while the page is open', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.goto(`${base}/card#x`)
      const ann = cardholder(page)
      await ann.button('Cancel').click()
      await ann.button('Yes, cancel').click()
      await ann.heading('Payment cancelled').waitFor()
      expect(await page.locator('.amount-label').textContent()).toBe('Not charged')
    })
  })
})

/** As a finger does: down, a moment, up. What moves meanwhile takes the press away. */
async function pressSlowly(page: Page, target: Locator): Promise<void> {
  // Several parts of a page may settle.
  await page.waitForFunction(() => document.querySelector('.unsettled') === null)
  const box = await target.boundingBox()
  if (box === null) throw new Error('There is nothing to press.')
  // Near the upper edge, where 27 px of movement are enough to miss it.
  await page.mouse.move(box.x + box.width / 2, box.y + 6)
  await page.mouse.down()
  // What moves the button does so in this time; one that is slower is not seen here, and nothing fails for it.
  await page.waitForTimeout(120)
  await page.mouse.up()
}

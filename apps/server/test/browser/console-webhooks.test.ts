// Guarantee: the console says of a receiver that fails what does not arrive, why, and what to do; a press sends a
// delivery again, once; any id leads to its thing; and who is signed out elsewhere comes back to the same address.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deliverAll } from '../../src/webhooks/delivery/testing/journey.ts'
import { activeEndpoint, ON_THIS_MACHINE, obeys } from '../../src/webhooks/testing/endpoints.ts'
import { demoAccount } from '../console.ts'
import { createSession, revoke } from '../flows.ts'
import { answers } from '../receivers/behaviours.ts'
import { PATIENT, startTestService, type TestMerchant, type TestService } from '../service.ts'
import { axeSource } from './axe.ts'
import { describeInBrowser } from './browser.ts'
import { heading, openConsole, press, screenProblems, seenAgain, TOLD, tab } from './consoles.ts'

describeInBrowser('webhooks at the console', (browser) => {
  let service: TestService
  let demo: TestMerchant
  let axe = ''
  let endpoint: Awaited<ReturnType<typeof activeEndpoint>>
  beforeAll(async () => {
    service = await startTestService({ env: { ...PATIENT, ...ON_THIS_MACHINE } })
    demo = await demoAccount(service)
    axe = await axeSource()
    endpoint = await activeEndpoint(demo, { events: ['session.revoked'], name: 'Orders <b>' })
  })
  afterAll(async () => {
    await endpoint?.receiver.close()
    await service?.close()
  })

  /** An event that the endpoint wants; its id. */
  async function event(): Promise<string> {
    await revoke(demo, (await createSession(demo)).session_id)
    await service.runJobs()
    return (await demo.get('/v1/events?type=session.revoked')).body.data.at(-1).id
  }

  it('says what does not arrive and why, and sends it again at a press', async () => {
    endpoint.receiver.behave(answers(500))
    const eventId = await event()
    await browser.visit(TOLD, async (visit) => {
      const { page } = visit
      await openConsole(page, service, '/webhooks')
      await page.getByRole('link', { name: 'Orders <b>' }).click()
      await heading(page, 'Orders <b>')
      await page.getByText('One event has not reached you. It is not lost.').waitFor()
      await page.getByText(/Your server answered 500/).waitFor()
      expect(await page.getByRole('img', { name: /0 arrived, 1 wait/ }).count()).toBe(1)
      const problems = await screenProblems(visit, axe, 'endpoint-failing')
      await page.getByRole('link', { name: 'See what does not arrive' }).click()
      await heading(page, 'session.revoked')
      await page.getByText('It has not arrived yet. It is tried again by itself.').waitFor()
      expect(await page.locator('pre').textContent()).toContain(`"id": "${eventId}"`)
      problems.push(...(await screenProblems(visit, axe, 'delivery-failing')))

      endpoint.receiver.behave(obeys())
      const failed = page.url()
      const before = endpoint.receiver.requests.length
      await press(page, 'Send again')
      await page.waitForURL((url) => url.href !== failed)
      await page.getByText('Repeats').waitFor()
      await deliverAll(service, demo)
      await seenAgain(page)
      await page.getByText('It arrived: your endpoint answered 204.').waitFor()
      expect(endpoint.receiver.requests.length).toBeGreaterThan(before)
      problems.push(...(await screenProblems(visit, axe, 'delivery')))
      await page.goBack()
      await heading(page, 'session.revoked')
      expect(page.url()).toBe(failed)
      expect(problems).toEqual([])
    })
  })

  it('sends once for a press whose answer was lost', async () => {
    await event()
    await deliverAll(service, demo)
    const [newest] = (await demo.get(`${endpoint.path}/deliveries`)).body.data
    await browser.visit({ expects: [/status of 401/, /ERR_FAILED/] }, async ({ page }) => {
      await openConsole(page, service, `/deliveries/${newest.id}`)
      let isLost = true
      await page.route('**/resend', async (route) => {
        if (!isLost) return route.continue()
        isLost = false
        await route.fetch()
        return route.abort()
      })
      await press(page, 'Send again')
      await page.getByText(/No answer came, so we do not know/).waitFor()
      await press(page, 'Send again')
      await page.getByText('Repeats').waitFor()
    })
    const all = (await demo.get(`${endpoint.path}/deliveries`)).body.data
    expect(all.filter(({ replay_of }: { replay_of: string | null }) => replay_of === newest.id)).toHaveLength(1)
  })

  it('shows events in words beside their JSON', async () => {
    const eventId = await event()
    await browser.visit(TOLD, async (visit) => {
      const { page } = visit
      await openConsole(page, service, '/events')
      await page.getByRole('link', { name: 'You revoked a session' }).first().waitFor()
      const problems = await screenProblems(visit, axe, 'events')
      await page.goto(`${service.consoleUrl}/events/${eventId}`)
      await heading(page, 'You revoked a session')
      expect(await page.locator('pre').textContent()).toContain('"error_code": "SESSION_REVOKED"')
      problems.push(...(await screenProblems(visit, axe, 'event')))
      await tab(page, 'Webhooks')
      await heading(page, 'Webhooks')
      problems.push(...(await screenProblems(visit, axe, 'webhooks')))
      expect(problems).toEqual([])
    })
  })

  it('finds a thing by its id, and says what it is before it is opened', async () => {
    const eventId = await event()
    const { session_id: sessionId } = await createSession(demo)
    await browser.visit(TOLD, async (visit) => {
      const { page } = visit
      await openConsole(page, service)
      await page.keyboard.press('Control+k')
      await page.keyboard.type(sessionId)
      const choices = page.getByRole('option')
      await expect.poll(() => choices.allTextContents()).toEqual([expect.stringMatching(/^Payment/)])
      await page.getByText('1 found').waitFor()
      expect(await screenProblems(visit, axe, 'finder')).toEqual([])
      await page.getByRole('combobox').focus()
      await page.keyboard.press('Enter')
      await heading(page, /at Tea House/)
      await page.keyboard.press('Control+k')
      await page.keyboard.type(eventId)
      await expect.poll(() => choices.allTextContents()).toEqual([expect.stringMatching(/^Event/)])
      await page.keyboard.press('Enter')
      await heading(page, 'You revoked a session')
      await page.keyboard.press('Control+k')
      await page.keyboard.type('order-of-no-one')
      await page.getByText(/^Nothing here has this id\./).waitFor()
    })
  })

  it('says that there is no such thing, and what is not reached is told and asked for again', async () => {
    await browser.visit({ expects: [/status of 40[14]/, /ERR_/] }, async (visit) => {
      const { page } = visit
      await openConsole(page, service, '/payments/txn_of_no_one')
      await heading(page, 'There is no such thing here')
      await page.goto(`${service.consoleUrl}/events`)
      await page.getByRole('list', { name: 'Events' }).waitFor()
      await page.route('**/api/events*', (route) => route.abort())
      await seenAgain(page)
      await page.getByText('No answer came. What you see may be old; we go on asking.').waitFor()
      await page.unroute('**/api/events*')
      await seenAgain(page)
      await expect.poll(() => page.getByText(/What you see may be old/).count()).toBe(0)
    })
  })

  it('who is signed out elsewhere signs in again, and is where they were', async () => {
    await browser.visit(TOLD, async ({ page }) => {
      await openConsole(page, service, '/webhooks')
      await heading(page, 'Webhooks')
      await service.pool.query('delete from people_sessions')
      await seenAgain(page)
      await page.getByText('You were signed out. Sign in again: you come back to this page.').waitFor()
      await press(page, 'Open the demo account')
      await heading(page, 'Webhooks')
      expect(new URL(page.url()).pathname).toBe('/webhooks')
      await press(page, /your account/)
      await press(page, 'Sign out')
      await heading(page, 'The console of this service')
      await page.reload()
      await heading(page, 'The console of this service')
    })
  })
})

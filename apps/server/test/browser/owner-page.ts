// The page of owners as a person uses it: what its tests do again and again.
import type { Page } from 'playwright-core'
import { startMailServer } from '../../src/mail/testing/mail-server.ts'
import { askFor, askForLink, newAgent, type TestAgent } from '../agents.ts'
import { PATIENT, startTestService } from '../service.ts'
import { axeProblems, axeSource } from './axe.ts'
import { lookAt, VIEWPORTS, type Visit } from './browser.ts'
import { open } from './cardholder.ts'
import { pressInSight } from './in-sight.ts'
import { enlarge, textProblems } from './text-fit.ts'

/** With what a document would take for its own. */
export const OPERATOR = 'Vault "& Sons" <pay>'
export const NOBODY_YET = { expects: [/status of 401/] }
const ASKED = {
  name: 'Atlas',
  platform: 'Trips Ltd',
  description: 'Books trains and flights when you ask for a trip. <b>Trusted by millions</b>',
}

export type OwnerPage = Awaited<ReturnType<typeof startOwnerPage>>

/** What is wrong with the screen that is shown, in each look. */
export async function problemsOf(visit: Visit, name: string): Promise<string[]> {
  const axe = await axeSource()
  const found = await lookAt(visit, `owner-${name}`)
  for (const viewport of [VIEWPORTS.phone, VIEWPORTS.desktop]) {
    await visit.page.setViewportSize(viewport)
    found.push(...(await visit.page.evaluate(textProblems)), ...(await axeProblems(visit.page, axe)))
  }
  await visit.page.setViewportSize(VIEWPORTS.phone)
  await enlarge(visit.page, 200)
  found.push(...(await visit.page.evaluate(textProblems)).map((problem) => `at 200 %: ${problem}`))
  await enlarge(visit.page, 100)
  await visit.page.setViewportSize(VIEWPORTS.desktop)
  return found
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()

/** An owner who comes for the first time. */
export async function becomeOwner(page: Page, name = 'Ann'): Promise<void> {
  await press(page, 'I am here for the first time')
  await page.getByLabel('What should we call you?').fill(name)
  await press(page, 'Create a passkey')
  await page.getByText(name, { exact: true }).waitFor()
}

/** A service that mails, and the steps of a person at the page of its owners. */
export async function startOwnerPage() {
  const mails = await startMailServer()
  const service = await startTestService({ env: { ...PATIENT, SMTP_URL: mails.url, OPERATOR_NAME: OPERATOR } })
  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
  const linkUrl = (linkId: string) => `${service.ownerUrl}/links/${linkId}`

  async function linking(changes: object = ASKED): Promise<{ agent: TestAgent; linkId: string }> {
    const agent = newAgent(service)
    return { agent, linkId: await askForLink(agent, changes) }
  }
  const standing = async (agent: TestAgent, linkId: string) =>
    (await agent.send('GET', `/v1/agents/links/${linkId}`)).body

  /** On the surface: all of the button must have been in sight for a moment. */
  async function allow(page: Page): Promise<void> {
    await pressInSight(page, page.getByRole('button', { name: /^Allow up to / }))
  }

  /** An agent that an owner who comes for the first time has linked, with the limits that the page proposes. */
  async function withAgent(page: Page): Promise<TestAgent & { agentId: string }> {
    const { agent, linkId } = await linking()
    await page.goto(linkUrl(linkId))
    await becomeOwner(page)
    await press(page, 'Approve with passkey')
    await heading(page, 'Atlas may spend for you')
    const { agent_id: agentId } = await standing(agent, linkId)
    const { privateKey } = agent
    return { ...newAgent(service, agentId, { privateKey, publicKey: privateKey }), agentId }
  }

  /** The same with a mandate: 50.00 a month at the tea house, approved on the surface with the same passkey. */
  async function withMandate(page: Page): Promise<{ agent: TestAgent; mandate: string }> {
    const agent = await withAgent(page)
    const setup = await askFor(agent, { total_amount: '50.00', mandate_setup: { recurring_frequency: 'monthly' } })
    const ann = await open(page, setup.body.payment_url)
    await ann.enterCard()
    await allow(page)
    await ann.heading('Allowed').waitFor()
    return { agent, mandate: setup.body.mandate_id }
  }
  const charge = async (agent: TestAgent, mandate: string, amount: string, reference: string) =>
    (await agent.send('POST', `/v1/mandates/${mandate}/charge`, { amount, reference })).body

  async function close(): Promise<void> {
    await service.close()
    await mails.stop()
  }
  return {
    service,
    mails,
    heading,
    press,
    linkUrl,
    problems: problemsOf,
    linking,
    standing,
    becomeOwner,
    allow,
    withAgent,
    withMandate,
    charge,
    close,
  }
}

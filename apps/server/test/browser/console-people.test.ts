// Guarantee: whoever is invited comes in by a code and a passkey and comes back by the passkey alone; the people of an
// account, invitations, what people did and where one is signed in can be seen and changed by keyboard and by screen
// readers, on a phone and on a desk.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { demoAccount } from '../console.ts'
import { visitCode } from '../owners.ts'
import { inviteByOperator, newColleague, newColleagueAddress, newestLink } from '../people.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { axeSource } from './axe.ts'
import { describeInBrowser, type Visit } from './browser.ts'
import { heading, openConsole, press, screenProblems } from './consoles.ts'

const REFUSED = { expects: [/status of 40[0134]/] }

describeInBrowser('people at the console', (browser) => {
  let service: TestService
  let accountId: string
  let axe = ''
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    accountId = service.merchant.merchantId
    await newColleague(service, { accountId, name: 'Vera Viewer', role: 'viewer' })
    axe = await axeSource()
  })
  afterAll(() => service?.close())

  /** Comes in by the link of an invitation. */
  async function comeIn({ page }: Visit, email: string, link: string, name: string): Promise<void> {
    await page.goto(`${service.consoleUrl}/invitation#${link}`)
    await heading(page, 'You are invited to Test Shop')
    await press(page, 'Mail me a code')
    await page.getByLabel('Code', { exact: true }).waitFor()
    await page.getByLabel('Code', { exact: true }).fill(await visitCode(service, email))
    await page.keyboard.press('Enter')
    await page.getByLabel('Your name').fill(name)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Console' }).waitFor()
  }

  it('come in by an invitation, and come back by the passkey; each step says what to do', async () => {
    await browser.visit(REFUSED, async (visit) => {
      const { page } = visit
      const problems: string[] = []
      await page.goto(service.consoleUrl)
      await heading(page, 'The console of this service')
      problems.push(...(await screenProblems(visit, axe, 'sign-in')))
      const email = newColleagueAddress()
      const link = await inviteByOperator(service, accountId, email, 'owner')
      await page.goto('about:blank')
      await page.goto(`${service.consoleUrl}/invitation#${link}`)
      await heading(page, 'You are invited to Test Shop')
      problems.push(...(await screenProblems(visit, axe, 'invitation')))
      await press(page, 'Mail me a code')
      await page.getByLabel('Code', { exact: true }).fill('12')
      await page.keyboard.press('Enter')
      await page.getByText('Type the six digits of the mail.').waitFor()
      const code = await visitCode(service, email)
      await page.getByLabel('Code', { exact: true }).fill(code === '000000' ? '000001' : '000000')
      await page.keyboard.press('Enter')
      await page.getByText('That is not the code.').waitFor()
      problems.push(...(await screenProblems(visit, axe, 'invitation-code')))
      await page.getByLabel('Code', { exact: true }).fill(code)
      await page.keyboard.press('Enter')
      await page.getByLabel('Your name').waitFor()
      problems.push(...(await screenProblems(visit, axe, 'invitation-name')))
      await page.getByLabel('Your name').fill('Olga Owner')
      await press(page, 'Make a passkey and come in')
      await heading(page, 'Home')
      await press(page, /your account/)
      problems.push(...(await screenProblems(visit, axe, 'person-menu')))
      await press(page, 'Sign out')
      await press(page, 'Sign in with your passkey')
      await heading(page, 'Home')
      await page.goto('about:blank')
      await page.goto(`${service.consoleUrl}/invitation#${link}`)
      await heading(page, 'This invitation opens nothing')
      problems.push(...(await screenProblems(visit, axe, 'invitation-over')))
      expect(problems).toEqual([])
    })
  })

  it('invite, give roles and take away, and all of it stands beside their name', async () => {
    await browser.visit(REFUSED, async (visit) => {
      const { page } = visit
      const problems: string[] = []
      const email = newColleagueAddress()
      await comeIn(visit, email, await inviteByOperator(service, accountId, email, 'owner'), 'Ida Inviter')
      await page.getByRole('link', { name: 'Team', exact: true }).click()
      await heading(page, 'Team')
      await page.getByLabel('Email address').fill('nothing')
      await page.keyboard.press('Enter')
      await page.getByText('Type an email address').waitFor()
      const invited = newColleagueAddress()
      await page.getByLabel('Email address').fill(invited)
      await page.getByLabel('Role', { exact: true }).selectOption('admin')
      await press(page, 'Mail the invitation')
      await page.getByText(`The invitation to ${invited} is on its way.`).waitFor()
      await page.getByRole('list', { name: 'Invitations that wait' }).getByText(invited).waitFor()
      expect(await newestLink(service, invited)).toMatch(/^inv_/)
      problems.push(...(await screenProblems(visit, axe, 'team')))
      await page.getByLabel('Role of Vera Viewer').selectOption('support')
      await expect.poll(() => page.getByLabel('Role of Vera Viewer').inputValue()).toBe('support')
      await press(page, 'Take away: Vera Viewer')
      await page.getByText('Vera Viewer is signed out here at once').waitFor()
      problems.push(...(await screenProblems(visit, axe, 'team-asked')))
      await press(page, 'Take away: Vera Viewer')
      await expect.poll(() => page.getByText('Vera Viewer', { exact: true }).count()).toBe(0)
      await page.getByRole('link', { name: 'Who did what' }).click()
      await heading(page, 'Who did what')
      const lines = page.getByRole('list', { name: 'Who did what' }).getByRole('listitem')
      await expect.poll(() => lines.first().textContent()).toMatch(/Ida Inviter.*Took away.*Vera Viewer/s)
      expect(await lines.nth(1).textContent()).toMatch(/Ida Inviter.*Gave another role.*Vera Viewer.*as: Support/s)
      expect(await lines.nth(2).textContent()).toContain(invited)
      problems.push(...(await screenProblems(visit, axe, 'acts')))
      expect(problems).toEqual([])
    })
  })

  it('have several passkeys, and end sessions one by one and all at once', async () => {
    await browser.visit(REFUSED, async (visit) => {
      const { page } = visit
      const problems: string[] = []
      const email = newColleagueAddress()
      await comeIn(visit, email, await inviteByOperator(service, accountId, email, 'developer'), 'Dana')
      const second = await service.addMerchant()
      const link = await inviteByOperator(service, second.merchantId, email, 'viewer')
      await page.goto('about:blank')
      await page.goto(`${service.consoleUrl}/invitation#${link}`)
      await press(page, 'Look after this account too')
      await heading(page, 'Home')
      await page.goto(`${service.consoleUrl}/me`)
      await heading(page, 'Passkeys and sessions')
      await page.getByLabel('What you call it').fill('Key in the drawer')
      await press(page, 'Make it')
      await page.getByRole('list', { name: 'Passkeys' }).getByText('Key in the drawer').waitFor()
      problems.push(...(await screenProblems(visit, axe, 'me')))
      await press(page, 'Rename: Key in the drawer')
      await page.getByLabel('New name').fill('Spare')
      await page.keyboard.press('Enter')
      await press(page, 'End: Spare')
      problems.push(...(await screenProblems(visit, axe, 'me-asked')))
      await press(page, 'End: Spare')
      await page.getByText('The last one stays.').waitFor()
      await press(page, 'Open: Test Shop')
      await heading(page, 'Home')
      await page.goto(`${service.consoleUrl}/me`)
      await press(page, 'Sign out everywhere, here as well')
      await heading(page, 'The console of this service')
      expect(problems).toEqual([])
    })
  })

  it('are told in German, and who opened the demo account what their role is for', async () => {
    await demoAccount(service)
    await browser.visit({ ...REFUSED, reads: { locale: 'de-DE' } }, async (visit) => {
      const { page } = visit
      const problems: string[] = []
      await page.goto(`${service.consoleUrl}/team`)
      await press(page, 'Demokonto öffnen')
      await heading(page, 'Team')
      problems.push(...(await screenProblems(visit, axe, 'team-de')))
      await page.goto(`${service.consoleUrl}/me`)
      await heading(page, 'Passkeys und Sitzungen')
      problems.push(...(await screenProblems(visit, axe, 'me-de')))
      expect(problems).toEqual([])
    })
    await browser.visit(REFUSED, async ({ page }) => {
      await openConsole(page, service, '/team')
      const email = newColleagueAddress()
      await page.getByLabel('Email address').fill(email)
      await press(page, 'Mail the invitation')
      await page.getByText(`The invitation to ${email} is on its way.`).waitFor()
    })
  })
})

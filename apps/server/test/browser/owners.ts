import type { Page } from 'playwright-core'
import { newAddress, visitCode } from '../owners.ts'
import type { TestService } from '../service.ts'

type Place = Pick<TestService, 'pool'>

/** Proves an address at the page of owners, for the first time. */
export async function proveAddress(page: Page, service: Place, email = newAddress()): Promise<void> {
  const press = (name: string) => page.getByRole('button', { name }).click()
  await press('I am here for the first time')
  await page.getByLabel('Your email address').fill(email)
  await press('Mail me a code')
  await page.getByRole('heading', { name: 'Type the code' }).waitFor()
  await page.getByLabel('Code', { exact: true }).fill(await visitCode(service, email))
  await press('Go on')
}

/** Signs up at the page. */
export async function becomeOwner(page: Page, service: Place, name = 'Ann', email = newAddress()): Promise<void> {
  await proveAddress(page, service, email)
  await page.getByLabel('What should we call you?').fill(name)
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await page.getByText(name, { exact: true }).waitFor()
}

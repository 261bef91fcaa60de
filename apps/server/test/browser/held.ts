import type { Page, Route } from 'playwright-core'

/**
 * Holds what a page sends to an address. What it returns lets go of it, once and for all: it goes on to where it was sent, or `then` does
 * something else with it.
 */
export async function holdRequests(
  page: Page,
  url: string,
  then: (route: Route) => Promise<void> = (route) => route.continue(),
): Promise<() => void> {
  const { promise: isFree, resolve: letGo } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    await isFree
    await then(route)
  })
  return letGo
}

/** A DEVELOPMENT TOOL: what the journeys share. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

export interface Scene {
  page: Page
  /** Where the surface lives, and another origin for the shop that embeds it. */
  surface: string
  shop: string
}
export type Journey = (scene: Scene) => Promise<void>

export function same(actual: unknown, expected: unknown): void {
  assert.deepEqual(actual, expected)
}

export function ensure(holds: boolean): void {
  assert.ok(holds)
}

export async function headed(page: Page | ReturnType<Page['frameLocator']>, name: string | RegExp): Promise<void> {
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}

/** A secret of its own, so that a frame and a tab of one journey share a session and no other does. */
let run = 0
export function freshSecret(): string {
  run += 1
  return `run${run}-${Date.now()}`
}

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Frame, Page } from 'playwright-core'

/** The script of axe, to be given to a page. */
export function axeSource(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
}

/** Those of its rules that may find in another scheme, or with larger text, what they did not find before. */
export const RULES_OF_LOOKS = ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable']

/**
 * What axe finds on the page that is shown, or in one frame of it: by all of its rules, or by these. By evaluation,
 * because the page's policy lets no script in.
 */
export async function axeProblems(page: Page | Frame, source: string, rules?: readonly string[]): Promise<string[]> {
  // Once a document: it is half a megabyte.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const { violations } = await page.evaluate(
    (options) =>
      (window as unknown as { axe: { run(context: Document, options: RunOptions): Promise<AxeResults> } }).axe.run(
        document,
        options,
      ),
    { resultTypes: ['violations'], ...(rules && { runOnly: [...rules] }) } as RunOptions,
  )
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}

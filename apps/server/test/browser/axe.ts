import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

/** The script of axe, to be given to a page. */
export function axeSource(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
}

/** What axe finds on the page that is shown. By evaluation, because the page's policy lets no script in. */
export async function axeProblems(page: Page, source: string): Promise<string[]> {
  // Once a document: it is half a megabyte.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const { violations } = await page.evaluate(
    (options) =>
      (window as unknown as { axe: { run(context: Document, options: RunOptions): Promise<AxeResults> } }).axe.run(
        document,
        options,
      ),
    { resultTypes: ['violations'] } as RunOptions,
  )
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}

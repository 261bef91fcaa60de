import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// The guide to checkout adapters quotes an adapter: what it shows is what runs, and is tested there.

const ROOT = join(import.meta.dirname, '..')
const GUIDE = 'docs/guides/checkout-adapters.md'

test('what the guide quotes of a file is in it', async () => {
  const text = await readFile(join(ROOT, GUIDE), 'utf8')
  const quotes = [...text.matchAll(/^```ts from (\S+)\n([\s\S]*?)^```$/gm)]
  expect(quotes.length).toBeGreaterThan(3)
  for (const [, file = '', quote = ''] of quotes) expect(await readFile(join(ROOT, file), 'utf8')).toContain(quote)
})

import { STORE_CATEGORIES } from '@mintmark/contract'
import { code, type Page, page, table } from './markdown.ts'

/** docs/reference/categories.md: under which codes merchants and products of the wallet API are found. */
export function categoriesPage(): Page {
  return page('docs/reference/categories.md', 'packages/contract/src/stores.ts', [
    '# Category codes',
    INTRODUCTION,
    table(
      ['Code', 'What it is'],
      Object.entries(STORE_CATEGORIES).map(([name, meaning]) => [code(name), meaning]),
    ),
  ])
}

const INTRODUCTION = `What merchants and products of the wallet API are found under: \`GET /v1/merchants/category/{code}\`. A merchant is found under
each category that it sells something of, and under its own while it sells anything. What is no code of this list has nothing under it.
How they come into a catalog: [what the wallet API sells](../guides/stores.md).`

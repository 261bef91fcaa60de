import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findProblems } from './check-docs.ts'

test('the documentation names nothing that is not there', async () => {
  expect(await findProblems(join(import.meta.dirname, '..'))).toEqual([])
})

describe('the check', () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'mintmark-docs-'))
    await writeFile(join(root, 'package.json'), '{ "scripts": { "start": "node main.ts" } }')
    await writeFile(join(root, 'other.md'), '# A heading, with `code`\n')
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  test.each([
    ['a good link', '[x](other.md#a-heading-with-code) [y](https://example.com/z)', []],
    ['a good command', 'Run `npm start`.', []],
    ['a link in code', '```md\n[x](nowhere.md)\n```', []],
    ['a broken link', '[x](nowhere.md)', ['the link nowhere.md leads nowhere']],
    ['a broken anchor', '[x](other.md#nothing)', ['the link other.md#nothing names no heading']],
    ['an anchor of its own page', '# Here\n\n[x](#here) [y](#there)', ['the link #there names no heading']],
    ['an unknown command', '```sh\nnpm run fly -- --high\n```', ['there is no script "fly" in package.json']],
    ['a missing path', 'See `apps/server/nothing.ts`.', ['there is no apps/server/nothing.ts']],
    ['a missing script file', '```sh\nnode scripts/nothing.ts\n```', ['there is no scripts/nothing.ts']],
    ['a path of one machine', 'In `/home/ann/mintmark`.', ['`/home/ann/mintmark is a path of one machine']],
    ['the host of a registry', 'From registry.example.com.', ['registry.example.com is the host of a registry']],
  ])('%s', async (_name, text, problems) => {
    await writeFile(join(root, 'page.md'), text)
    expect(await findProblems(root)).toEqual(problems.map((problem) => `page.md: ${problem}`))
  })
})

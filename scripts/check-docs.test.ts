import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
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
    ['a link to a file that is no page', '[x](./page.md) [y](package.json)', []],
    ['the second of two equal headings', '# Twice\n\n# Twice\n\n[x](#twice-1) [y](#twice)', []],
    ['a link in code', '```md\n[x](nowhere.md)\n```', []],
    ['a broken link', '[x](nowhere.md)', ['Cannot find file `nowhere.md`; did you mean `other.md`']],
    ['a broken anchor', '[x](other.md#nothing)', ['Cannot find heading for `#nothing` in `other.md`']],
    [
      'an anchor of its own page',
      '# Here\n\n[x](#here) [y](#there)',
      ['Cannot find heading for `#there`; did you mean `here`'],
    ],
    ['an unknown command', '```sh\nnpm run fly -- --high\n```', ['there is no script "fly" in package.json']],
    ['a missing path', 'See `apps/server/nothing.ts`.', ['there is no apps/server/nothing.ts']],
    ['a missing script file', '```sh\nnode scripts/nothing.ts\n```', ['there is no scripts/nothing.ts']],
    ['a path of one machine', 'In `/home/ann/mintmark`.', ['`/home/ann/mintmark is a path of one machine']],
    ['the host of a registry', 'From registry.example.com.', ['registry.example.com is the host of a registry']],
  ])('%s', async (_name, text, problems) => {
    await writeFile(join(root, 'page.md'), text)
    expect(await findProblems(root)).toEqual(problems.map((problem) => `page.md: ${problem}`))
  })

  test('a name with a file that has it no more', async () => {
    await mkdir(join(root, 'apps/server/src/sessions'), { recursive: true })
    await writeFile(join(root, 'apps/server/src/sessions/a.ts'), 'export function made() {\n  return moved()\n}\n')
    await writeFile(join(root, 'page.md'), '`made` (`sessions/a.ts`), `moved`\n(`sessions/a.ts`), `x` (`cards/b.ts`)\n')
    expect(await findProblems(root)).toEqual(['page.md: sessions/a.ts has no moved', 'page.md: there is no cards/b.ts'])
  })

  test('a line too long to review, in a written page of docs', async () => {
    await mkdir(join(root, 'docs'))
    await writeFile(join(root, 'docs/page.md'), `# Page\n\n${'x'.repeat(161)}\n${'é'.repeat(160)}\n`)
    await writeFile(join(root, 'docs/made.md'), `<!-- Generated from x -->\n\n${'x'.repeat(161)}\n`)
    expect(await findProblems(root)).toEqual(['docs/page.md: line 3 has 161 characters, more than 160'])
  })

  describe('of decisions', () => {
    const LISTED = '- [0001. Kept](0001-x.md): *accepted*\n- [0002. New](0002-x.md): *proposed*\n'
    const RECORDS = ['Kept\n\nAccepted, 2026-11-21.', 'New\n\nProposed, 2026-11-22. Would amend nothing.']

    async function problemsOf({ records = RECORDS, list = LISTED }: { records?: string[]; list?: string }) {
      await mkdir(join(root, 'docs/adr'), { recursive: true })
      for (const [index, text] of records.entries()) {
        await writeFile(join(root, `docs/adr/000${index + 1}-x.md`), `# 000${index + 1}. ${text}\n\n## Context\n`)
      }
      await writeFile(join(root, 'docs/adr/README.md'), list)
      return findProblems(root)
    }
    const unlisted = (line: string) => `docs/adr/README.md: has not once, as the record says: ${line}`

    test('that are listed as they are there is none', async () => {
      expect(await problemsOf({})).toEqual([])
    })

    test.each([
      ['not in the list', ''],
      ['in it under another title', '- [0001. Other](0001-x.md): *accepted*\n'],
      ['in it with another state', '- [0001. Kept](0001-x.md): *proposed*\n'],
      ['in it without a state', '- [0001. Kept](0001-x.md)\n'],
      ['in two of its rooms', '- [0001. Kept](0001-x.md): *accepted*\n- [0001. Kept](0001-x.md): *accepted*\n'],
    ])('one that is %s', async (_case, list) => {
      expect(await problemsOf({ records: RECORDS.slice(0, 1), list })).toEqual([
        unlisted('- [0001. Kept](0001-x.md): *accepted*'),
      ])
    })

    test.each(['Accepted, 2026-11-21', 'Decided, 2026-11-21.', 'Accepted.', 'Superseded, 2026-11-21.', '## Context'])(
      'one that says %j of its state',
      async (said) => {
        const problems = await problemsOf({ records: [`Kept\n\n${said}`, ...RECORDS.slice(1)] })
        const wanted = 'no "Proposed, 2026-11-21.", nor "Accepted", nor "Superseded by" with a link'
        expect(problems[0]).toBe(`docs/adr/0001-x.md: below its title is ${wanted}`)
      },
    )

    test('one that another took the place of, and that says so, is listed with its successor', async () => {
      const old = 'Old\n\nSuperseded by [0002](0002-x.md), 2026-11-22.'
      const records = [old, 'New\n\nAccepted, 2026-11-22. In place of [0001](0001-x.md).']
      const list = '- [0001. Old](0001-x.md): *superseded* by [0002](0002-x.md)\n- [0002. New](0002-x.md): *accepted*\n'
      expect(await problemsOf({ records, list })).toEqual([])
      expect(await problemsOf({ records, list: list.replace(' by [0002](0002-x.md)', '') })).toEqual([
        unlisted('- [0001. Old](0001-x.md): *superseded* by [0002](0002-x.md)'),
      ])
    })

    test('one that is named by another and does not name it', async () => {
      const records = [RECORDS[0] ?? '', 'New\n\nProposed, 2026-11-22. Amends\n[0001](0001-x.md): something.']
      expect(await problemsOf({ records })).toEqual([
        'docs/adr/0001-x.md: below its title is no link to docs/adr/0002-x.md, which names it there',
      ])
    })
  })

  test('a decision that is cited by the number of another one', async () => {
    for (const number of ['0001', '0002']) await writeFile(join(root, `${number}-x.md`), `# ${number}. Title\n`)
    await writeFile(join(root, 'page.md'), '[0001](0001-x.md), [0001](./0002-x.md#0002-title) and [0002](0002-x.md)\n')
    expect(await findProblems(root)).toEqual(['page.md: 0001 leads to 0002-x.md'])
  })

  test('a defence without a test, an attack without a proof, and a name that no source has', async () => {
    await mkdir(join(root, 'docs/security'), { recursive: true })
    await mkdir(join(root, 'apps'))
    await writeFile(join(root, 'apps/a.test.ts'), "const alarm = 'row_tampered'\n")
    const page = (path: string, lines: string[]) => writeFile(join(root, path), `${lines.join('\n')}\n`)
    await page('SECURITY.md', ['`alarm: row_tampered`, `table.no_column`', 'x'.repeat(161)])
    const held = ['- **Held.** Well.', '  `apps/a.test.ts`']
    const entries = [...held, '- **Open.** `NO_SETTING=1`', ...held]
    await page('docs/security/defences.md', ['- [A](#a)', '', '## A', '', ...entries])
    const [tried, proof] = ['- Tried.', 'Proof: `apps/a.test.ts`.']
    await page('docs/security/attacks.md', ['## A', '', tried, '', proof, '', '## B', '', tried])
    expect((await findProblems(root)).sort()).toEqual([
      'SECURITY.md: line 2 has 161 characters, more than 160',
      'SECURITY.md: no source has no_column',
      'docs/security/attacks.md: no test is named by "B"',
      'docs/security/defences.md: no source has NO_SETTING',
      'docs/security/defences.md: no test is named by "**Open.** `NO_SETTING=1`"',
    ])
  })

  test('a fault that a comment cites and no page describes', async () => {
    await mkdir(join(root, 'docs'))
    await mkdir(join(root, 'apps'))
    await writeFile(join(root, 'docs/faults.md'), '# Faults\n\n## A1: killed\n\n## C5: twice\n')
    const comments = ['// `faults.md` A1 and (faults C5, D9).', '// See `faults.md`, A2.', '// Controls (C0, DEL).']
    await writeFile(join(root, 'apps/x.ts'), comments.join('\n'))
    const cited = (number: string) =>
      `docs/faults.md: apps/x.ts cites fault ${number}, which the page does not describe`
    expect(await findProblems(root)).toEqual([cited('D9'), cited('A2')])
  })
})

import { glob, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

// Guarantee: comments and the names of tests are plain English, subject, verb, object; what is still written otherwise
// only becomes less.

/**
 * How often each is left. A number here only falls: it is lowered in the change that removes some. What is left of
 * `nobody` is the system's user of that name, and a value of the client.
 */
const LEFT: Readonly<Record<Habit, number>> = { free: 0, nobody: 11, long: 0 }

/**
 * A sentence that begins without its subject, a pronoun in place of a caller or a worker, and a line that no window
 * shows.
 */
type Habit = 'free' | 'nobody' | 'long'
const LONGEST_LINE = 120

const FREE = /(?:^|[.:;!?] )(?:Who|Whom|Whose|Of)\b(?![^.;]*\?)/g
const NOBODY = /\b(?:nobody|somebody|anybody)\b/gi
const COMMENT = /^\s*(?:\/\/|\/\*\*?|\*)\s?(.*?)(?:\*\/)?$/
const NAME = /\b(?:test|it|describe)(?:\.\w+)*(?:\([^'"`]*\))?\(\s*(['"`])(.*?)\1/g

test('how plain the English is', async () => {
  const found = { free: 0, nobody: 0, long: 0 }
  const files = glob('{apps,packages,examples,scripts,bench}/**/*.{ts,tsx}', {
    exclude: (path) => /node_modules|\/dist(?:\/|$)/.test(path),
  })
  for await (const file of files) {
    const source = await readFile(file, 'utf8')
    if (source.startsWith('// Generated from ')) continue
    for (const line of source.split('\n')) {
      const comment = COMMENT.exec(line)?.[1]
      if (comment !== undefined && line.length > LONGEST_LINE) found.long += 1
      for (const said of comment === undefined ? [...line.matchAll(NAME)].map(([, , name = '']) => name) : [comment]) {
        found.free += [...said.matchAll(FREE)].length
        found.nobody += [...said.matchAll(NOBODY)].length
      }
    }
  }
  const more = (Object.keys(LEFT) as Habit[]).filter((habit) => found[habit] > LEFT[habit])
  expect({ more, found }).toEqual({ more: [], found })
})

test('what counts', () => {
  const count = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].length
  expect(count(FREE, 'Who waits is told. Of two the first wins: of course.')).toBe(2)
  expect(count(FREE, 'Who is it? The caller who waits is told.')).toBe(0)
  expect(count(NOBODY, 'Nobody reads it, and somebody should.')).toBe(2)
})

import { glob, readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'

// Guarantee: comments become plainer, never the other way. A sentence names the one that acts: "A caller that …", not "Who …".

/** Where one begins: at the start of a comment, or behind a stop, a colon or a semicolon. */
const BEGINS = String.raw`(?<=^\s*|[.:;?!]\s+)`
const NO_QUESTION = String.raw`(?![^.;?!]*\?(?:\s|$))`

/** Words that hide who acts, and how many lines of comments have them. A number may only fall. */
const GROUPS = [
  {
    group: 'a sentence that begins with "Who" or "Whom"',
    words: `${BEGINS}who(?:m|ever)?\\b${NO_QUESTION}`,
    lines: 201,
  },
  { group: 'a sentence that begins with "Of"', words: `${BEGINS}of\\b${NO_QUESTION}`, lines: 263 },
  { group: '"nobody", "somebody" or "anybody"', words: String.raw`\b(?:no|some|any)body\b`, lines: 314 },
]

/** Here none is left, and none comes back: these folders of `apps/server/src`, with their tests. */
const PLAIN = [
  'approvals',
  'cards',
  'charges',
  'db',
  'events',
  'jobs',
  'mandates',
  'passkeys',
  'rows',
  'sessions',
  'vault',
]

const SOURCES = '{apps,packages,examples,scripts,bench}/**/*.{ts,tsx,sql}'
/** A migration that has run cannot change, and what all of them make is written by a program. */
const NOT_OURS = /node_modules|\/dist(?:\/|$)|\/migrations(?:\/|$)|schema\.sql$/
/** Lines one below the other, or a block. What is quoted in a program seldom begins a line like this. */
const COMMENT = /^[ \t]*(?:\/\/|--).*(?:\n[ \t]*(?:\/\/|--).*)*|^[ \t]*\/\*\*[\s\S]*?\*\//gm
const MARKS = /^[ \t]*(?:\/\/|--|\/\*\*|\*\/|\*)|\*\/$/gm

const comments: { path: string; line: number; said: string }[] = []
beforeAll(async () => {
  for await (const path of glob(SOURCES, { exclude: (name) => NOT_OURS.test(name) })) {
    const text = await readFile(path, 'utf8')
    if (text.startsWith('// Generated from ')) continue
    for (const { 0: comment, index } of text.matchAll(COMMENT)) {
      comments.push({ path, line: lineOf(text, index), said: comment.replaceAll(MARKS, '') })
    }
  }
})

test.each(GROUPS)('as few lines as before have $group', ({ words, lines }) => {
  const { length } = linesWith(words)
  expect(length, length < lines ? `There are fewer: write ${length} here` : 'There are more: name who acts').toBe(lines)
})

test('in folders that are plain, no line has any of them', () => {
  const inPlain = new RegExp(`^apps/server/src/(?:${PLAIN.join('|')})/`)
  expect(GROUPS.flatMap(({ words }) => linesWith(words)).filter((line) => inPlain.test(line))).toEqual([])
})

/** Each line of a comment with such words, as `path:line`. */
function linesWith(words: string): string[] {
  const found = comments.flatMap(({ path, line, said }) =>
    [...said.matchAll(new RegExp(words, 'gi'))].map(({ index }) => `${path}:${line + lineOf(said, index) - 1}`),
  )
  return [...new Set(found)]
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

import { glob, readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'

// Guarantee: comments are plain. A sentence names the one that acts: "A caller that …", not "Who …".

/** Where one begins: at the start of a comment, or behind a stop, a colon or a semicolon. */
const BEGINS = String.raw`(?<=^\s*|[.:;?!]\s+)`
const NO_QUESTION = String.raw`(?![^.;?!]*\?(?:\s|$))`

/** Words that hide who acts. */
const HIDING = [
  { group: 'a sentence that begins with "Who" or "Whom"', words: `${BEGINS}who(?:m|ever)?\\b${NO_QUESTION}` },
  { group: 'a sentence that begins with "Of"', words: `${BEGINS}of\\b${NO_QUESTION}` },
  { group: '"nobody", "somebody" or "anybody"', words: String.raw`\b(?:no|some|any)body\b` },
]

const SOURCES = '{apps,packages,examples,scripts,bench}/**/*.{ts,tsx,mjs,css,sql}'
/** A migration that has run cannot change, and what all of them make is written by a program. */
const NOT_OURS = /node_modules|\/dist(?:\/|$)|\/migrations(?:\/|$)|schema\.sql$/
/** Lines one below the other, or a block. What is quoted in a program seldom begins a line like this. */
const COMMENT = /^[ \t]*(?:\/\/|--).*(?:\n[ \t]*(?:\/\/|--).*)*|^[ \t]*\/\*[\s\S]*?\*\//gm
/** What a name is called in the code is not ours to choose: the user `nobody`. */
const NAMES = /`[^`\n]*`/g
const MARKS = /^[ \t]*(?:\/\/|--|\/\*\*?|\*\/|\*)|\*\/$/gm

const sources: { path: string; text: string }[] = []
beforeAll(async () => {
  for await (const path of glob(SOURCES, { exclude: (name) => NOT_OURS.test(name) })) {
    const text = await readFile(path, 'utf8')
    if (!text.startsWith('// Generated from ')) sources.push({ path, text })
  }
})

test.each(HIDING)('no line of a comment has $group', ({ words }) => {
  expect(sources.length).toBeGreaterThan(1_500)
  expect(sources.flatMap(({ path, text }) => linesWith(words, text).map((line) => `${path}:${line}`))).toEqual([])
})

test.each([
  ['/** Who asks is told. */', [1]],
  ['/**\n * It is told. Whoever asks\n * is told, too.\n */', [2]],
  ['  // It is told; whom it tells is not.', [1]],
  ['/* Of two, one wins. */', [1]],
  ['-- It is said:\n-- of two, one wins.', [2]],
  ['// It waits for nobody.', [1]],
  // A question, what is no comment, a name, and an actor.
  ['// Who asks? The owner does.', []],
  [`const text = 'Who asks is told'`, []],
  ['// It runs as `nobody`.', []],
  ['/** A caller who asks is told, one of two. */', []],
])('%j', (text, lines) => {
  expect(HIDING.flatMap(({ words }) => linesWith(words, text))).toEqual(lines)
})

/** Each line of a comment with such words, by its number. */
function linesWith(words: string, text: string): number[] {
  const found = [...text.matchAll(COMMENT)].flatMap(({ 0: comment, index }) => {
    const said = plain(comment)
    return [...said.matchAll(new RegExp(words, 'gi'))].map(
      (match) => lineOf(text, index) + lineOf(said, match.index) - 1,
    )
  })
  return [...new Set(found)]
}

/** Without its marks and without names; each line stays where it is. */
function plain(comment: string): string {
  return comment.replaceAll(MARKS, '').replaceAll(NAMES, '`')
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

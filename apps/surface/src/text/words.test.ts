import { glob, readFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { parse } from '@swc/core'
import { describe, expect, it } from 'vitest'
import { text } from './text.ts'

// Guarantee: all words for cardholders are in a folder `text`, so another language is another file; and none of them is
// a word of the trade.

const SRC = dirname(import.meta.dirname)
const TRADE_WORDS = /credential|session|mandate|cardholder/i

/** What reads as words: a capital and small letters, or small words in a row with one that only sentences have. */
const WORDS = /^[A-Z][a-z]+(?=$|[\s,.:!?’])|\b(?:a|an|and|for|from|in|is|left|of|or|the|to|with|you|your)\b/
const isWords = (literal: string) => WORDS.test(literal) && /^[A-Z]|[a-z] [a-z]| $/.test(literal)

/** Sent to the backend or compared with the browser's own names. */
const NOT_SHOWN = new Set(['Bearer '])

const ERRORS = /Error$|^Unreachable$/

type Node = { type: string; [key: string]: unknown }

/** Every string the page may show: no types, no imports, no names of classes, no messages of thrown errors. */
function literalsOf(node: unknown, found: string[]): string[] {
  if (Array.isArray(node)) for (const child of node) literalsOf(child, found)
  if (typeof node !== 'object' || node === null || !('type' in node)) return found
  const { type, ...parts } = node as Node
  if (type === 'StringLiteral') found.push(String(parts.value))
  if (type === 'TemplateElement') found.push(String(parts.cooked))
  if (/^(?:Ts(?:Literal|Type|Interface|Union)|Import|ClassProperty)/.test(type)) return found
  if (type === 'NewExpression' && ERRORS.test(String((parts.callee as Node).value))) return found
  for (const part of Object.values(parts)) literalsOf(part, found)
  return found
}

async function sources(): Promise<{ file: string; literals: string[] }[]> {
  const files: { file: string; literals: string[] }[] = []
  for await (const path of glob(`${SRC}/**/*.ts`)) {
    if (path.endsWith('.test.ts')) continue
    const module = await parse(await readFile(path, 'utf8'), { syntax: 'typescript', target: 'es2022' })
    files.push({ file: relative(SRC, path), literals: literalsOf(module.body, []) })
  }
  return files
}

const inText = (file: string) => /(?:^|\/)text\//.test(file)

describe('words', () => {
  it('are nowhere but in the folders for text', async () => {
    const read = await sources()
    expect(read.length).toBeGreaterThan(40)
    const astray = read
      .filter(({ file }) => !inText(file))
      .flatMap(({ file, literals }) =>
        literals
          .filter((literal) => isWords(literal) && !NOT_SHOWN.has(literal))
          .map((literal) => `${file}: ${literal}`),
      )
    expect(astray).toEqual([])
  })

  it.each(['Continue', 'Pay with a card', ' left to approve', 'Test card ', 'What now?', 'Yes, cancel'])(
    'the reader finds %j',
    (literal) => {
      expect(isWords(literal)).toBe(true)
    },
  )

  it('are none of the trade', async () => {
    const words = (await sources()).filter(({ file }) => inText(file)).flatMap(({ literals }) => literals)
    expect(words.length).toBeGreaterThan(100)
    expect(words.filter((literal) => / /.test(literal) && TRADE_WORDS.test(literal))).toEqual([])
  })

  it('of the launch say what is certain about the money', () => {
    expect(text.blocked.expired.text).toMatch(/Opening this link charged nothing\.$/)
    expect(text.blocked.revoked.text).toMatch(/Nothing was charged\.$/)
  })
})

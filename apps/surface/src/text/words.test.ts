import { glob, readFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { SENTENCE_LANGUAGES, type SentenceLanguage } from '@mintmark/contract/sentence/version'
import { parse } from '@swc/core'
import { describe, expect, it } from 'vitest'
import { textsIn } from './languages.ts'
import { text } from './text.ts'

// Guarantee: all words for cardholders are in a folder `text`, so another language is another file; and none of them is
// a word of the trade.

const SRC = dirname(import.meta.dirname)
const TRADE_WORDS =
  /credential|session|mandat|cardholder|Sitzung|Karteninhaber|identifiant|titulaire|sesión|credencial|titular|マンデート|セッション|認証情報|カード会員|تفويض|جلسة|حامل البطاقة/i

/** What reads as words: a capital and small letters, or small words in a row with one that only sentences have. */
const WORDS = /^[A-Z][a-z]+(?=$|[\s,.:!?’])|\b(?:a|an|and|for|from|in|is|left|of|or|the|to|with|you|your)\b/
const isWords = (literal: string) => WORDS.test(literal) && /^[A-Z]|[a-z] [a-z]| $/.test(literal)

/** Sent to the backend or compared with the browser's own names. */
const NOT_SHOWN = new Set(['Bearer ', 'Escape'])

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

/** Every text of a language by its place; a text by number as the one of its forms. */
function textsOf(language: SentenceLanguage): Map<string, Record<string, string>> {
  const found = new Map<string, Record<string, string>>()
  const walk = (value: unknown, place: string): void => {
    if (typeof value === 'string') found.set(place, { other: value })
    else if (isPlural(value)) found.set(place, value)
    else for (const [key, inner] of Object.entries(value as object)) walk(inner, `${place}.${key}`)
  }
  const { language: _, ...said } = textsIn(language)
  walk(said, '')
  return found
}

const isPlural = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' && value !== null && typeof (value as { other?: unknown }).other === 'string'

const holesOf = (text = '') => [...text.matchAll(/\{(\w+)\}/g)].map(([, hole]) => hole).sort()
const lastSentence = (text = '') => /(?:^|[.。:：] ?)([^.。:：]+[.。])$/.exec(text)?.[1]

/** What is the same in another language: names, shapes of digits, and words that both have. */
const SAME =
  /^\.page\.(cardNumber\.example|expiry\.example|sandbox\.badge)$|\.(total|passkey|reference|subtotal|part|mostOf|support)$/

describe.each(SENTENCE_LANGUAGES)('in %s', (language) => {
  const english = textsOf('en')
  const texts = textsOf(language)

  it('every text is there, with the holes of the English one and no mark of shouting', () => {
    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort())
    for (const [place, { other }] of texts) {
      expect(new Set(holesOf(other)), place).toEqual(new Set(holesOf(english.get(place)?.other)))
      expect(other, place).not.toMatch(/[!！¡]|undefined|^\s|\s$/)
      if (language !== 'en' && !SAME.test(place)) expect(other, place).not.toBe(english.get(place)?.other)
    }
  })

  it('a text by number has each form that its language counts by', () => {
    const rules = new Intl.PluralRules(language)
    const forms = new Set(Array.from({ length: 1_000 }, (_, number) => rules.select(number)))
    for (const [place, text] of texts) {
      const numbered = english.get(place)
      if (numbered === undefined || Object.keys(numbered).length === 1) continue
      expect(new Set(Object.keys(text)), place).toEqual(forms.add('other'))
      for (const form of Object.values(text)) {
        for (const hole of holesOf(form)) expect(holesOf(text.other), place).toContain(hole)
        for (const hole of holesOf(text.other)) if (hole !== 'count') expect(holesOf(form), place).toContain(hole)
      }
    }
  })

  it('nothing was charged is said where English says so, and nowhere else, in one and the same sentence', () => {
    const isSaid = (text = '') => / Nothing was charged\.$/.test(text)
    const places = [...english].filter(([, { other }]) => isSaid(other)).map(([place]) => place)
    const said = new Set(places.map((place) => lastSentence(texts.get(place)?.other)))
    expect(places.length).toBeGreaterThan(20)
    expect(said.size).toBe(1)
    const [nothing] = said
    const elsewhere = [...texts].filter(
      ([place, { other }]) => lastSentence(other) === nothing && !places.includes(place),
    )
    expect(elsewhere).toEqual([])
  })
})

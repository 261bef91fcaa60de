/**
 * A DEVELOPMENT TOOL: the way to a screen is written in English, and is gone in another language by the same words of
 * that one.
 */
import type { SentenceLanguage } from '@mintmark/contract/sentence/version'
import type { Page } from 'playwright-core'
import { textsIn } from '../../src/text/languages.ts'

type Words = [path: string, text: string]

function wordsOf(texts: object, path = ''): Words[] {
  return Object.entries(texts).flatMap(([key, value]): Words[] => {
    if (typeof value === 'string') return [[`${path}.${key}`, value]]
    return typeof value === 'object' && value !== null ? wordsOf(value, `${path}.${key}`) : []
  })
}

const patternOf = (text: string) => text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '.+')

/** What says this in English, in another language. */
function translated(english: string, language: SentenceLanguage): RegExp {
  const all = wordsOf(textsIn('en'))
  const isIt = ([, text]: Words) =>
    new RegExp(`^${patternOf(text)}$`).test(english) && /[^{}]{3}/.test(text.replaceAll(/\{\w+\}/g, ''))
  // The nearest that there are. A part of a text stands in several, as the kinds of a session word it.
  const likenesses = [([, text]: Words) => text === english, isIt, ([, text]: Words) => text.includes(english)]
  const found = likenesses.map((isLike) => all.filter(isLike)).find(({ length }) => length > 0) ?? []
  const paths = new Set(found.map(([path]) => path))
  const there = wordsOf(textsIn(language)).filter(([path]) => paths.has(path))
  if (there.length === 0) throw new Error(`Nothing says "${english}" in ${language}.`)
  return new RegExp(there.map(([, text]) => patternOf(text)).join('|'))
}

/** The page, found by English words. */
export function speaking(page: Page, language: SentenceLanguage): Page {
  if (language === 'en') return page
  const say = (words: string | RegExp) => (typeof words === 'string' ? translated(words, language) : words)
  const others: Pick<Page, 'getByLabel' | 'getByText' | 'getByRole'> = {
    getByLabel: (words, options) => page.getByLabel(say(words), options),
    getByText: (words) => page.getByText(say(words)),
    getByRole: (role, { name, ...options } = {}) =>
      page.getByRole(role, name === undefined ? options : { ...options, name: say(name) }),
  }
  return new Proxy(page, {
    get(target, key) {
      if (key in others) return others[key as keyof typeof others]
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

import { createHash } from 'node:crypto'
import { SENTENCE_LANGUAGES, type SentenceLanguage } from '@mintmark/contract/sentence/version'
import { directionOf } from '@mintmark/ui/direction.ts'
import type { Plugin } from 'vite'

interface PageWords {
  /** What stands in the document before its script runs, by the name of its place. */
  document(language: SentenceLanguage): Readonly<Record<string, string>>
  /** All that is said after that. */
  texts(language: SentenceLanguage): object
}

/**
 * One document a language, with the same script: its words are data in it. The same data lies beside them, for a page
 * that came in another one.
 */
export function inEachLanguage({ document, texts }: PageWords): Plugin {
  // The texts of this build: a page asks for another language in the version that its script was built with.
  const version = createHash('sha256')
    .update(JSON.stringify(SENTENCE_LANGUAGES.map(texts)))
    .digest('hex')
    .slice(0, 12)
  const dataIn = (language: SentenceLanguage) => JSON.stringify({ version, ...texts(language) })
  return {
    name: 'in-each-language',
    enforce: 'post',
    transformIndexHtml: { order: 'pre', handler: withoutComments },
    generateBundle(_options, bundle) {
      const page = bundle['index.html']
      if (page?.type !== 'asset') this.error('the build produced no index.html')
      delete bundle['index.html']
      for (const language of SENTENCE_LANGUAGES) {
        const source = filledIn(String(page.source), document(language))
          .replace('<html lang="en" dir="ltr">', `<html lang="${language}" dir="${directionOf(language)}">`)
          .replace('"%TEXTS%"', () => inElement(dataIn(language)))
        this.emitFile({ type: 'asset', fileName: `${language}.html`, source })
        this.emitFile({ type: 'asset', fileName: `texts/${language}-${version}.json`, source: dataIn(language) })
      }
    },
  }
}

/** What closes an element must not stand in one. */
const inElement = (data: string) => data.replaceAll('<', '\\u003c')

/** What its readers in the source need: comments, and the indentation. */
const withoutComments = (html: string) => html.replaceAll(/<!--[\s\S]*?-->/g, '').replaceAll(/\n\s*/g, '\n')

function filledIn(html: string, words: Readonly<Record<string, string>>): string {
  return html.replaceAll(/%([A-Z_]+)%/g, (whole, name: string) => words[name] ?? whole)
}

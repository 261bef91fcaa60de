import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { SENTENCE_LANGUAGES, type SentenceLanguage } from '@mintmark/contract/sentence/version'
import { preferredLanguage } from '../../http/accept-language.ts'
import { type Encodings, encodingsOfFile } from '../../http/compression.ts'

const BUILT = new URL('../../../../surface/dist/', import.meta.url)

/** A document with its policy. */
export interface BuiltPage {
  /** The document in the smallest form the request's `Accept-Encoding` allows. */
  encoded: Encodings
  /** All headers of the page for a merchant that may embed it from these origins. */
  headers(allowedOrigins: readonly string[]): Record<string, string>
}

/** In the language that the request's `Accept-Language` wants most. */
type InLanguages = (acceptLanguage: string | undefined) => BuiltPage

/** The cardholder's pages: one document a language. */
export interface SurfacePage {
  /** The page of a session. */
  document: InLanguages
  /** The page of what was allowed. */
  permissions: InLanguages
  /** The words of a language by the name of their file, for a page that came in another one. */
  words(name: string): Encodings | undefined
}

let loaded: Promise<SurfacePage> | undefined

/** It is read once a process, however many hosts that has: the pages take half of the time that a service starts in. */
export function loadSurfacePage(): Promise<SurfacePage> {
  loaded ??= readSurfacePage().catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  return loaded
}

async function readSurfacePage(): Promise<SurfacePage> {
  const words = await loadWords(new URL('texts/', BUILT))
  return {
    document: await loadInLanguages(BUILT),
    permissions: await loadInLanguages(new URL('permissions/', BUILT)),
    words: (name) => words.get(name),
  }
}

async function loadInLanguages(directory: URL): Promise<InLanguages> {
  const documents = await Promise.all(
    SENTENCE_LANGUAGES.map(async (language) => {
      const page = await loadPage(new URL(`${language}.html`, directory), 'secure surface')
      const said = { 'content-language': language, vary: 'accept-encoding, accept-language' }
      return [language, { ...page, headers: (origins) => ({ ...page.headers(origins), ...said }) }] as [
        string,
        BuiltPage,
      ]
    }),
  )
  const pages = Object.fromEntries(documents) as Record<SentenceLanguage, BuiltPage>
  return (acceptLanguage) => pages[preferredLanguage(acceptLanguage, SENTENCE_LANGUAGES)]
}

async function loadWords(directory: URL): Promise<Map<string, Encodings>> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json'))
  return new Map(
    await Promise.all(
      names.map(async (name) => {
        const file = new URL(name, directory)
        return [name, await encodingsOfFile(file, await readFile(file, 'utf8'))] as const
      }),
    ),
  )
}

/**
 * The built page with its policy. Every script and style is inside the document and named by hash, so the browser runs
 * exactly what was built and loads nothing more; only the merchant's own origins may frame it.
 */
export async function loadPage(file: URL, name: string): Promise<BuiltPage> {
  const html = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`The ${name} is not built. Run "npm run build" once.`, { cause })
  })
  const policy = [
    "default-src 'none'",
    `script-src ${hashesOf(html, 'script')}`,
    `style-src ${hashesOf(html, 'style')}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return {
    encoded: await encodingsOfFile(file, html),
    headers: (allowedOrigins) => ({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `${policy}; frame-ancestors ${allowedOrigins.join(' ') || "'none'"}`,
      'cache-control': 'no-store',
      vary: 'accept-encoding',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy':
        'publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), microphone=(), geolocation=()',
    }),
  }
}

/**
 * `'sha256-…'` of every inline element of this name; a page without one allows none. Data is never run, so it needs no
 * hash.
 */
export function hashesOf(html: string, element: 'script' | 'style'): string {
  const contents = [...html.matchAll(new RegExp(`<${element}\\b[^>]*>([\\s\\S]*?)</${element}>`, 'g'))]
  const run = contents.filter(([tag]) => !tag.startsWith('<script type="application/json"'))
  const hashes = run.map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
  return hashes.join(' ') || "'none'"
}

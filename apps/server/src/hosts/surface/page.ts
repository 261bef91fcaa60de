import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Encodings, encodingsOfFile } from '../../http/compression.ts'

const BUILT_PAGE = new URL('../../../../surface/dist/index.html', import.meta.url)

export interface SurfacePage {
  /** The document in the smallest form the request's `Accept-Encoding` allows. */
  encoded: Encodings
  /** All headers of the page for a merchant that may embed it from these origins. */
  headers(allowedOrigins: readonly string[]): Record<string, string>
}

/**
 * The built page with its policy. Every script and style is inside the document and named by hash, so the browser runs
 * exactly what was built and loads nothing more; only the merchant's own origins may frame it.
 */
export async function loadSurfacePage(
  file: URL = BUILT_PAGE,
  name = 'secure surface',
  change = (built: string) => built,
): Promise<SurfacePage> {
  const built = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`The ${name} is not built. Run "npm run build" once.`, { cause })
  })
  const html = change(built)
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

/** `'sha256-…'` of every inline element of this name; a page without one allows none. */
export function hashesOf(html: string, element: 'script' | 'style'): string {
  const contents = [...html.matchAll(new RegExp(`<${element}\\b[^>]*>([\\s\\S]*?)</${element}>`, 'g'))]
  const hashes = contents.map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
  return hashes.join(' ') || "'none'"
}

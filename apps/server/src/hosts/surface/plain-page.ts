import type { ErrorPage } from '../../http/error-response.ts'
import { hashesOf } from './page.ts'

const STYLE = `:root{color-scheme:light dark;font-family:system-ui,sans-serif;line-height:1.5}
body{display:grid;place-content:center;min-height:100dvh;margin:0;padding:1.5rem;box-sizing:border-box;background:#f3f5f4;color:#121816}
main{max-width:28rem}h1{margin:0 0 .5rem;font-size:1.375rem}p{margin:0}form{margin:1.25rem 0 0}
button{font:inherit;font-weight:600;min-height:3rem;padding:.5rem 1.5rem;border:0;border-radius:.5rem;background:#0b5c46;color:#fff;cursor:pointer}
button:focus-visible{outline:3px solid;outline-offset:3px}
@media(prefers-color-scheme:dark){body{background:#0c100f;color:#eef3f1}button{background:#8fe0c4;color:#05281e}}`

/** What a page without a script says: texts of ours, never of a caller. */
export interface PlainPage {
  title: string
  heading: string
  text: string
  /** A button that sends this address again, as a POST. */
  button?: string
}

/** No script, nothing loaded, no link: it is whole wherever it is opened. */
export const documentOf = ({ title, heading, text, button }: PlainPage, language = 'en') => `<!doctype html>
<html lang="${language}"${language === 'ar' ? ' dir="rtl"' : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${heading}</h1>
<p>${text}</p>
${button === undefined ? '' : `<form method="post"><button>${button}</button></form>\n`}</main>
</body>
</html>
`

const STYLE_HASH = hashesOf(`<style>${STYLE}</style>`, 'style')

/** The headers of such a page; `formAction`: where its button may send. */
export function plainPageHeaders(formAction: "'none'" | "'self'" = "'none'"): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${STYLE_HASH}; img-src data:; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
  }
}

const isNavigation = (method: string, url: string, accept = '') =>
  method === 'GET' && /\btext\/html\b/.test(accept) && !/^\/api(?:[/?]|$)/.test(url)

type ErrorPages = Record<'lost' | 'busy' | 'broken', PlainPage>

/** Which of them says what this status means to a person. */
export function pageOfStatus(status: number, { lost, busy, broken }: ErrorPages): PlainPage {
  if (status === 429) return busy
  return status >= 500 ? broken : lost
}

/** A person who opens an address that gives no page reads why; a program gets the envelope, as on every host. */
export const errorPageOf =
  (pages: ErrorPages): ErrorPage =>
  ({ status }, { method, url, headers }) =>
    isNavigation(method, url, headers.accept)
      ? { body: documentOf(pageOfStatus(status, pages)), headers: plainPageHeaders() }
      : null

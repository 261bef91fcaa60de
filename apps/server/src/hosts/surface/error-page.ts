import type { FastifyRequest } from 'fastify'
import type { ErrorPage } from '../../http/error-response.ts'
import type { PublicError } from '../../platform/errors.ts'
import { hashesOf } from './page.ts'

const STYLE = `:root{color-scheme:light dark;font-family:system-ui,sans-serif;line-height:1.5}
body{display:grid;place-content:center;min-height:100dvh;margin:0;padding:1.5rem;box-sizing:border-box;background:#f3f5f4;color:#121816}
main{max-width:28rem}h1{margin:0 0 .5rem;font-size:1.375rem}p{margin:0}
@media(prefers-color-scheme:dark){body{background:#0c100f;color:#eef3f1}}`

interface Words {
  title: string
  heading: string
  text: string
}

const LOST: Words = {
  title: 'Page not found',
  heading: 'This address leads nowhere',
  text: 'No payment is here. Open the link again from the merchant’s page, or copy all of it. Nothing was charged by opening this address.',
}

const BUSY: Words = {
  title: 'One moment, please',
  heading: 'One moment, please',
  text: 'This page is asked for too often right now. Load it again in a minute. Nothing was charged by opening it.',
}

const BROKEN: Words = {
  title: 'That did not work',
  heading: 'That did not work',
  text: 'The payment page cannot be shown right now. Load it again in a moment. Nothing was charged by opening it.',
}

/** No script, nothing loaded, no link: it knows nothing of the payment that was meant. */
const documentOf = ({ title, heading, text }: Words) => `<!doctype html>
<html lang="en">
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
</main>
</body>
</html>
`

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src ${hashesOf(documentOf(LOST), 'style')}; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
}

/** A person who opens an address that gives no page reads why; a program gets the envelope, as on every host. */
export const errorPage: ErrorPage = (error, request) =>
  isNavigation(request) ? { body: documentOf(wordsOf(error)), headers: HEADERS } : null

function wordsOf({ status }: PublicError): Words {
  if (status === 429) return BUSY
  return status >= 500 ? BROKEN : LOST
}

function isNavigation({ method, url, headers }: FastifyRequest): boolean {
  return method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '') && !/^\/api(?:[/?]|$)/.test(url)
}

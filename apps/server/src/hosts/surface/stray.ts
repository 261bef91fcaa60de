import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../platform/errors.ts'
import { hashesOf } from './page.ts'

const STYLE = `:root{color-scheme:light dark;font-family:system-ui,sans-serif;line-height:1.5}
body{display:grid;place-content:center;min-height:100dvh;margin:0;padding:1.5rem;box-sizing:border-box;background:#f3f5f4;color:#121816}
main{max-width:28rem}h1{margin:0 0 .5rem;font-size:1.375rem}p{margin:0}
@media(prefers-color-scheme:dark){body{background:#0c100f;color:#eef3f1}}`

/** No script, nothing loaded, no link: it knows nothing of the payment that was meant. */
export const STRAY_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Page not found</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>This address leads nowhere</h1>
<p>No payment is here. Open the link again from the merchant’s page, or copy all of it. Nothing was charged by opening this address.</p>
</main>
</body>
</html>
`

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src ${hashesOf(STRAY_PAGE, 'style')}; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
}

/** A person who opens a path that is none reads a page; a program gets the envelope, as on every host. */
export function serveStrays(app: FastifyInstance): void {
  app.get('/*', { onRequest: strayed }, () => {
    throw notFound()
  })
}

/** Before a body is read: a path that is none ends here for everyone. */
function strayed(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
  if (isNavigation(request)) void reply.code(404).headers(HEADERS).send(STRAY_PAGE)
  else done(notFound())
}

function isNavigation({ url, headers }: FastifyRequest): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '') && !/^\/api(?:[/?]|$)/.test(url)
}

import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type FastifyInstance, fastify } from 'fastify'
import { type Encodings, encodingsOf } from './compression.ts'
import type { Limit } from './limit.ts'
import { type ApiDescription, type ApiDocumentInfo, buildApiDocument } from './openapi.ts'
import type { RateLimiter } from './rate-limit.ts'
import { limitStep } from './rate-limit-fields.ts'

/** The published description of a host. */
export interface ApiReference {
  info: ApiDocumentInfo
  /** Counts requests for the description and its page. */
  limit: Limit<null>
}

/**
 * Only this host is ever asked for anything: no third party learns who reads the reference, and a script that a
 * dependency smuggled in could send nothing away. Styles are made by the viewer at run time, hence inline.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Serves `/openapi.json` and, at `/docs`, a page that shows it. Nothing is built or loaded before the first request. */
export function addApiReference(
  app: FastifyInstance,
  { info, limit }: ApiReference,
  host: ApiDescription & { limiter: RateLimiter },
): void {
  const onRequest = limitStep(host.limiter, limit)
  let document: Promise<Encodings> | undefined
  let viewer: Promise<Buffer> | undefined

  app.get('/openapi.json', { onRequest }, async (request, reply) => {
    document ??= encodingsOf(JSON.stringify(buildApiDocument(info, host)))
    const { body, headers } = (await document)(request.headers['accept-encoding'])
    return reply
      .type('application/json; charset=utf-8')
      .headers({ vary: 'accept-encoding', ...headers })
      .send(body)
  })
  app.get('/docs', { onRequest }, async (_request, reply) =>
    reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(page(info.title)),
  )
  app.get('/docs/start.js', { onRequest }, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(START_SCRIPT),
  )
  app.get('/docs/viewer.js', { onRequest }, async (_request, reply) => {
    viewer ??= loadViewer()
    reply.header('cache-control', 'public, max-age=86400').header('content-encoding', 'gzip')
    return reply.type('text/javascript; charset=utf-8').send(await viewer)
  })
}

function page(title: string): string {
  const safe = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${safe}</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference">
<p style="margin:2rem;font:1rem/1.5 system-ui,sans-serif">${safe}: the reference stands here as soon as its
script is loaded, a megabyte the first time. What it shows is at <a href="/openapi.json">/openapi.json</a>.</p>
</div>
<script src="/docs/viewer.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`
}

/** Everything of the viewer that would talk to its maker's services is off; the page's policy would stop it anyway. */
const START_SCRIPT = `if (window.Scalar) document.querySelector('#reference').replaceChildren()
Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  withDefaultFonts: false,
  orderSchemaPropertiesBy: 'preserve',
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
})
`

/**
 * The viewer's script is 4 MB of text inside a plugin that offers it over HTTP only. So the plugin is imported on the
 * first request, asked once through a host that never listens, and its response is kept compressed. The package that has
 * the script as a file (`@scalar/api-reference`) brings 280 packages into the installation, all of them unused here.
 */
async function loadViewer(): Promise<Buffer> {
  const { default: plugin } = await import('@scalar/fastify-api-reference')
  const host = fastify({ logger: false })
  await host.register(plugin, { routePrefix: '/', configuration: { content: {} } })
  const response = await host.inject('/js/scalar.js')
  await host.close()
  if (response.statusCode !== 200) throw new Error('The API reference viewer has no script.')
  return promisify(gzip)(response.rawPayload)
}

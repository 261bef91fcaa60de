import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify'
import type { Secret } from '../platform/secret.ts'
import { type Encodings, encodingsOf } from './compression.ts'
import type { Limit } from './limit.ts'
import { type ApiDescription, type ApiDocumentInfo, buildApiDocument } from './openapi.ts'
import type { RateLimiter } from './rate-limit.ts'
import { limitStep } from './rate-limit-fields.ts'
import { documentForReaders, type GuideGroup } from './reference-document.ts'

/** The published description of a host. */
export interface ApiReference {
  info: ApiDocumentInfo
  /** Counts requests for the description and its page. */
  limit: Limit<null>
  /** What there is to read beside the calls; without it, it is at another host. */
  guides?: () => Promise<readonly GuideGroup[]>
  /**
   * The key with which the page's reader tries calls, and the name of its credential; without it they bring their own.
   */
  demoKey?: () => Promise<DemoKey | null>
}

export interface DemoKey {
  scheme: string
  token: Secret<string>
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

/**
 * Serves `/openapi.json` and, at `/docs`, a page that shows it with the guides. Nothing is built or loaded before the
 * first request.
 */
export function addApiReference(
  app: FastifyInstance,
  { info, limit, guides, demoKey }: ApiReference,
  host: ApiDescription & { limiter: RateLimiter },
): void {
  const onRequest = limitStep(host.limiter, limit)
  let viewer: Promise<Buffer> | undefined

  const describe = () => buildApiDocument(info, host)
  const documents = {
    '/openapi.json': async () => describe(),
    '/docs/document.json': async () => documentForReaders(describe(), (await guides?.()) ?? []),
  }
  for (const [path, make] of Object.entries(documents)) {
    let document: Promise<Encodings> | undefined
    app.get(path, { onRequest }, async (request, reply) => {
      document ??= make().then((made) => encodingsOf(JSON.stringify(made)))
      const { body, headers } = (await document)(request.headers['accept-encoding'])
      return reply
        .type('application/json; charset=utf-8')
        .headers({ vary: 'accept-encoding', ...headers })
        .send(body)
    })
  }
  app.get('/docs', { onRequest }, async (request, reply) => {
    const key = demoKey !== undefined && isFromHere(request) ? await demoKey() : null
    return reply
      .headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(page(info.title, key))
  })
  app.get('/docs/start.js', { onRequest }, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(START_SCRIPT),
  )
  app.get('/docs/viewer.js', { onRequest }, async (_request, reply) => {
    viewer ??= loadViewer()
    reply.header('cache-control', 'public, max-age=86400').header('content-encoding', 'gzip')
    return reply.type('text/javascript; charset=utf-8').send(await viewer)
  })
}

/**
 * Whether a browser of this machine asks, and by a name of this machine: a page of another host cannot have had its own
 * name led here, and none can read what another host serves. So the key goes where `dev.json` lies already.
 */
function isFromHere({ ip, socket, host }: FastifyRequest): boolean {
  const isHere = [ip, socket.remoteAddress].every((address) => address !== undefined && LOOPBACK.test(address))
  return isHere && /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host)
}
const LOOPBACK = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

function page(title: string, key: DemoKey | null): string {
  const safe = escaped(title)
  const meta =
    key === null
      ? ''
      : `\n<meta name="demo-key" content="${escaped(key.token.reveal())}" data-scheme="${escaped(key.scheme)}">`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${safe}</title>
<link rel="icon" href="data:,">${meta}
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

/** What the viewer has examples for. */
const LANGUAGES =
  'c clojure csharp dart fsharp go http java js julia kotlin node objc ocaml php powershell python r ruby rust shell swift'.split(
    ' ',
  )
/** Examples are shown by curl and for the language that there is an SDK of. */
const hiddenClients = () => ({
  ...Object.fromEntries(LANGUAGES.map((language) => [language, true])),
  ...{ shell: ['httpie', 'wget'], node: ['axios', 'ofetch', 'undici'] },
})

/**
 * Values of a field stand in a row, not each on a line of its own. A guide has no call beside it: its tables take the
 * whole width.
 */
const STYLES = `.property-enum .property-enum-values-card { display: flex; flex-wrap: wrap; padding: 0 6px 6px }
.property-enum .property-enum-values-card > li { border: 0; padding: 4px 6px }
.property-enum .property-enum-values-card button { padding: 0 }
[id*="/tag-group/"]:not([id$="/calls"]) .section-column { flex: none; width: 100% }
[id*="/tag-group/"]:not([id$="/calls"]) .section-column + .section-column { display: none }
[id*="/tag-group/"]:not([id$="/calls"]) .markdown > * { max-width: 44rem }
[id*="/tag-group/"]:not([id$="/calls"]) .markdown table {
  display: block; max-width: 100%; overflow-x: auto; table-layout: auto
}
[id*="/tag-group/"]:not([id$="/calls"]) .markdown table * { overflow-wrap: break-word; word-break: normal }`

/**
 * Everything of the viewer that would talk to its maker's services is off; the page's policy would stop it anyway. It
 * would stop calls to localhost from 127.0.0.1 too: so who has the demo key tries calls where they read.
 */
const START_SCRIPT = `if (window.Scalar) document.querySelector('#reference').replaceChildren()
const { content: token, dataset: { scheme } = {} } = document.querySelector('meta[name=demo-key]') ?? {}
Scalar.createApiReference('#reference', {
  url: '/docs/document.json',
  ...(token && {
    servers: [{ url: location.origin, description: 'This machine' }],
    authentication: { preferredSecurityScheme: scheme, securitySchemes: { [scheme]: { token } } },
  }),
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: ${JSON.stringify(hiddenClients())},
  withDefaultFonts: false,
  customCss: ${JSON.stringify(STYLES)},
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
 * first request, asked once through a host that never listens, and its response is kept compressed. The package that
 * has the script as a file (`@scalar/api-reference`) brings 280 packages into the installation, all of them unused
 * here.
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

/**
 * A DEVELOPMENT TOOL, not part of the product: a backend with scripted answers, so that each scene of the page can be
 * opened at will. It verifies nothing. Start: `node apps/surface/dev/mock-server.ts [port]` after a build.
 */
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Adjustment, SurfaceView } from '@mintmark/contract/wire/surface'
import { adjusted, termsOf } from './mock-terms.ts'
import { SCENES } from './scenes.ts'
import { VISA, type ViewFields, viewOf } from './views.ts'

export interface Mock {
  /** `{base}/{scene}#x` opens a scene, each time anew. */
  base: string
  close(): void
}

interface Session {
  view: SurfaceView
  /** The approval changes this. */
  approved: ViewFields
  /** The page finds this when it asks the next time. */
  next: ViewFields
}

interface Answer {
  status: number
  body: unknown
  headers?: Record<string, string>
}

const PAGE = new URL('../dist/index.html', import.meta.url)

export async function startMock(port = 0): Promise<Mock> {
  const sessions = new Map<string, Session>()
  const server = createServer((request, response) => {
    void respond(sessions, request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    base: `http://localhost:${(server.address() as AddressInfo).port}/s/ma_x`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function respond(sessions: Map<string, Session>, request: IncomingMessage, response: ServerResponse) {
  const path = request.url ?? '/'
  if (path.startsWith('/s/')) return servePage(response)
  const body = await readJson(request)
  const session = sessions.get(String(request.headers.authorization?.replace('Bearer ', '')))
  const answer = path === '/api/launch' ? launch(sessions, String(body.session_id)) : act(session, path, body)
  if (answer === null) return
  const headers = { 'content-type': 'application/json', 'x-response-id': randomUUID(), ...answer.headers }
  response.writeHead(answer.status, headers).end(JSON.stringify(answer.body))
}

/** The page comes with the policy that the real server sends: hashes of its own script and style, nothing else. */
function servePage(response: ServerResponse): void {
  const html = readFileSync(PAGE, 'utf8')
  const hashes = (tag: string) =>
    [...html.matchAll(new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, 'g'))]
      .map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
      .join(' ')
  const policy = [
    `default-src 'none'; script-src ${hashes('script')}; style-src ${hashes('style')}; connect-src 'self'`,
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors http://localhost:*",
    "require-trusted-types-for 'script'; trusted-types 'none'",
  ]
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy.join('; ') }
  response.writeHead(200, { ...headers, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' }).end(html)
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = Buffer.concat(await request.toArray()).toString()
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}

const ok = (body: unknown): Answer => ({ status: 200, body })
const refusal = (status: number, code: string, details = {}): Answer => ({
  status,
  body: { error: { code, message: 'For developers.', details } },
})

function launch(sessions: Map<string, Session>, name: string): Answer | null {
  const start = SCENES[name]?.launch
  if (start === undefined) return refusal(404, 'NOT_FOUND')
  if (start === null) return null
  if ('code' in start) {
    return {
      ...refusal(start.status, start.code),
      headers: start.retryAfter ? { 'retry-after': `${start.retryAfter}` } : {},
    }
  }
  const token = randomUUID()
  const view = { ...viewOf(start.view, start.seconds ?? 900), session_id: name }
  sessions.set(token, { view, approved: {}, next: {} })
  return ok({ session_token: token, view: now(view) })
}

const now = (view: SurfaceView): SurfaceView => ({ ...view, now: new Date().toISOString() })

const chosen = ({ view }: Session, id: unknown) => view.cards.find(({ card_id }) => card_id === id) ?? VISA

function act(session: Session | undefined, path: string, body: Record<string, unknown>): Answer {
  if (session === undefined) return refusal(401, 'AUTH_1001')
  const move = (fields: ViewFields): SurfaceView => {
    session.view = now({ ...session.view, ...fields } as SurfaceView)
    return session.view
  }
  switch (path) {
    case '/api/session':
      return ok(move(session.next))
    case '/api/cards': {
      const number = String(body.card_number ?? '')
      // The test card that is refused ends so.
      if (number.endsWith('0002')) return refusal(400, 'CARD_REFUSED', { reason: 'CARD_DECLINED' })
      return ok(move({ step: 'passkey_registration', card: { ...VISA, card_last4: number.slice(-4) || '4242' } }))
    }
    case '/api/cards/select':
      return ok(move({ step: 'approval', card: chosen(session, body.card_id), has_passkey: true }))
    case '/api/cards/verify':
      return body.code === '000000' ? refusal(400, 'STEP_UP_INVALID') : ok(move({ step: 'passkey_registration' }))
    case '/api/passkeys/registration-options':
      return ok(registrationOptions())
    case '/api/passkeys/registrations': {
      // The passkey saves the card: nothing is left to approve.
      if (session.view.kind === 'enrollment')
        return ok({ view: move({ step: 'done', outcome: 'approved' }), approval: null })
      const view = move({ step: 'approval', has_passkey: true })
      return ok({ view, approval: approvalOptions(session) })
    }
    case '/api/approval-options':
      return ok(approvalOptions(session, body.adjust as Adjustment | undefined))
    case '/api/approvals':
      session.next = { step: 'done', outcome: 'approved' }
      return ok(move({ ...session.approved, step: 'processing' }))
    case '/api/more-time':
      return ok(withMoreTime(session))
    case '/api/cancel':
      return ok(move({ step: 'done', outcome: 'cancelled' }))
    default:
      return refusal(404, 'NOT_FOUND')
  }
}

function withMoreTime(session: Session): SurfaceView {
  const { more_time_from: _, ...view } = session.view
  session.view = now({ ...view, expires_at: new Date(Date.parse(view.expires_at) + 600_000).toISOString() })
  return session.view
}

function approvalOptions(session: Session, adjustment?: Adjustment): unknown {
  const view = adjusted(session.view, adjustment)
  if (view.kind === 'mandate_setup') session.approved = { mandate: view.mandate }
  const challenge = randomUUID()
  const asked = { rpId: 'localhost', allowCredentials: [], userVerification: 'required', timeout: 300_000 }
  return { terms: termsOf(view), options: { challenge, ...asked } }
}

function registrationOptions(): unknown {
  return {
    rp: { id: 'localhost', name: 'Mintmark' },
    user: { id: randomUUID(), name: 'Card owner', displayName: 'Card owner' },
    challenge: randomUUID(),
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
    timeout: 60_000,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  }
}

if (process.argv[1] === import.meta.filename) {
  const { base } = await startMock(Number(process.argv[2] ?? 4173))
  const links = Object.keys(SCENES).map((name) => `${base}/${name}#x`)
  process.stdout.write(`Development mock of the cardholder's page:\n${links.join('\n')}\n`)
}

/**
 * A DEVELOPMENT TOOL, not part of the product: a backend with scripted answers, so that each screen of the secure
 * surface can be opened at will. It verifies nothing. Start: `node apps/surface/dev/mock-server.ts [port]` after a
 * build.
 */
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { SENTENCE_LANGUAGES } from '@mintmark/contract/sentence/version'
import type { EnrolledPasskey } from '@mintmark/contract/states'
import type { CardRefusal } from '@mintmark/contract/surface'
import type {
  Adjustment,
  EnrollmentView,
  ReaderInfo,
  SurfaceMandate,
  SurfaceView,
} from '@mintmark/contract/wire/surface'
import { type Answer, newId, refusal } from './answers.ts'
import { DEFAULT_ENROLLMENT } from './enrollment-scenarios.ts'
import { approvalOptions, signedIn } from './mock-terms.ts'
import { SCENARIOS, VISA, type ViewFields, viewOf } from './scenarios.ts'

const DIST = new URL('../dist/', import.meta.url)

/** The policy the real server sends: hashes of the page's own script and style, nothing else. */
function pagePolicy(html: string, ancestors: string): string {
  const hashes = (tag: string) =>
    [...html.matchAll(new RegExp(`<${tag}(?! type="application/json")[^>]*>([\\s\\S]*?)</${tag}>`, 'g'))]
      .map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
      .join(' ')
  return [
    "default-src 'none'",
    `script-src ${hashes('script')}`,
    `style-src ${hashes('style')}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

interface Session {
  view: ViewFields
  expiresAt: Date
  approvedAt: number | null
  /** What the mandate says once it is allowed. */
  allowed: SurfaceMandate | null
  /** How a session is read that was approved before the cardholder came. */
  reader: ReaderInfo
}

const refusedCard = (reason: CardRefusal): Answer =>
  refusal(400, 'CARD_REFUSED', 'The card was refused.', { details: { reason } })

/** Every launch starts its scenario anew, unless the secret names a run: a frame and its tab then share one. */
export function createMockServer(): Server {
  const sessions = new Map<string, Session>()
  return createServer((request, response) => {
    void respond(sessions, request, response).catch((error: unknown) => response.destroy(error as Error))
  })
}

async function respond(sessions: Map<string, Session>, request: IncomingMessage, response: ServerResponse) {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname
  if (path.startsWith('/s/')) return servePage(request, response)
  if (path.startsWith('/texts/')) return void response.end(readFileSync(new URL(path.slice(1), DIST)))
  if (path === '/merchant') return serveMerchant(request, response)
  const answer = await answerCall(sessions, path, request)
  if (answer === null) return
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    'x-response-id': randomUUID(),
    ...answer.headers,
  })
  response.end(JSON.stringify(answer.body))
}

/** In the first language that the browser asks for, if there is one; else in English. */
function servePage(request: IncomingMessage, response: ServerResponse): void {
  const html = readFileSync(new URL(`${languageOf(request)}.html`, DIST), 'utf8')
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy(html, 'http://localhost:*'),
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  response.end(html)
}

function languageOf({ headers }: IncomingMessage): string {
  const [asked] = (headers['accept-language'] ?? '').split(/[-,;]/)
  return SENTENCE_LANGUAGES.find((each) => each === asked) ?? 'en'
}

/** `/merchant?frame={address}&allow={permissions}`: another origin, when asked for by another port. */
function serveMerchant(request: IncomingMessage, response: ServerResponse): void {
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  response.end(`<!doctype html><title>Shop</title><link rel="icon" href="data:,">
<body style="margin:24px;font-family:system-ui;background:#ddd"><p>The shop’s own page</p>
<iframe src="${escaped(query.get('frame') ?? '')}" allow="${escaped(query.get('allow') ?? '')}"
 style="border:0;width:480px;max-width:100%;height:900px;display:block"></iframe>`)
}

async function answerCall(sessions: Map<string, Session>, path: string, request: IncomingMessage) {
  const body = await readJson(request)
  if (path === '/api/launch') return launch(sessions, body, { locale: languageOf(request) })
  const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
  const session = sessions.get(token)
  if (!session) return refusal(401, 'AUTH_1001', 'Unknown token.')
  return act(session, token, path, body)
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}

function launch(sessions: Map<string, Session>, body: Record<string, unknown>, reader: ReaderInfo): Answer | null {
  const name = String(body.session_id)
  const scenario = SCENARIOS[name]
  if (!scenario) return refusal(404, 'NOT_FOUND', 'No such session.')
  if (scenario.kind === 'silence') return null
  if (scenario.kind === 'refusal') {
    const headers = scenario.retryAfterSeconds ? { 'retry-after': String(scenario.retryAfterSeconds) } : {}
    return refusal(scenario.status, scenario.code, scenario.message, { headers })
  }
  const token = `${name}~${body.launch_secret === 'x' ? newId() : String(body.launch_secret)}`
  const seconds = scenario.expiresInSeconds ?? 900
  const fresh = {
    view: scenario.view,
    expiresAt: new Date(Date.now() + seconds * 1_000),
    approvedAt: null,
    allowed: null,
    reader,
  }
  const session = sessions.get(token) ?? fresh
  sessions.set(token, session)
  return { status: 200, body: { session_token: token, view: shown(name, session) } }
}

function shown(name: string, session: Session): SurfaceView {
  return { ...viewOf(name, session.view, session.expiresAt), ...signedIn(session, session.reader) }
}

function act(session: Session, token: string, path: string, body: Record<string, unknown>): Answer {
  const now = (): Answer => ({ status: 200, body: shown(token.split('~')[0] ?? '', session) })
  const move = (fields: ViewFields): Answer => {
    session.view = { ...session.view, ...fields } as ViewFields
    return now()
  }
  switch (path) {
    case '/api/session':
      if (session.approvedAt !== null && Date.now() - session.approvedAt > 1_500)
        move({ step: 'done', outcome: 'approved' })
      return now()
    case '/api/cards':
      return enterCard(String(body.card_number ?? ''), body.once === true, move)
    case '/api/cards/select':
      return move({ step: 'approval', card: VISA, has_passkey: true })
    case '/api/cards/new-code':
      return move({ code: { number: 1, next_from: new Date(Date.now() + 30_000).toISOString() } })
    case '/api/cards/verify':
      if (body.code === '000000')
        return refusal(400, 'STEP_UP_INVALID', 'Wrong code.', { details: { tries_left: '2' } })
      return move({ step: 'passkey_registration' })
    case '/api/passkeys/registration-options':
      return { status: 200, body: registrationOptions() }
    case '/api/passkeys/registrations':
      if (session.view.kind === 'enrollment')
        return { status: 200, body: { view: move(enrolled(session.view, 'registered')).body, approval: null } }
      return {
        status: 200,
        body: {
          view: move({ step: 'approval', has_passkey: true }).body,
          approval: approvalOptions(session, undefined, body.reader as ReaderInfo).body,
        },
      }
    case '/api/approval-options':
      return approvalOptions(session, body.adjust as Adjustment | undefined, body.reader as ReaderInfo)
    case '/api/approvals':
      if (session.view.kind === 'enrollment') return move(enrolled(session.view, 'existing'))
      session.approvedAt = Date.now()
      return move(session.allowed === null ? { step: 'processing' } : { step: 'processing', mandate: session.allowed })
    case '/api/cancel':
      return move({ step: 'done', outcome: 'cancelled' })
    default:
      return refusal(404, 'NOT_FOUND', 'No such call.')
  }
}

/** Endings of test cards: 0002 is refused, 3220 wants a code, 9995 breaks the service. */
function enrolled({ enrollment }: Partial<EnrollmentView>, passkey: EnrolledPasskey): ViewFields {
  return { step: 'done', outcome: 'approved', enrollment: { ...DEFAULT_ENROLLMENT, ...enrollment, passkey } }
}

function enterCard(number: string, once: boolean, move: (fields: ViewFields) => Answer): Answer {
  if (number.endsWith('0002')) return refusedCard('CARD_DECLINED')
  if (number.endsWith('9995')) return refusal(503, 'NETWORK_UNAVAILABLE', 'The network is away.')
  const card = { ...VISA, card_last4: number.slice(-4) || VISA.card_last4 }
  return move({ step: number.endsWith('3220') ? 'card_verification' : 'passkey_registration', card, card_once: once })
}

function registrationOptions(): unknown {
  return {
    rp: { id: 'localhost', name: 'Mintmark' },
    user: { id: newId(), name: 'Card owner', displayName: 'Card owner' },
    challenge: newId(),
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
    timeout: 60_000,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  }
}

if (process.argv[1] === import.meta.filename) {
  const port = Number(process.argv[2] ?? 4173)
  createMockServer().listen(port, '127.0.0.1', () => {
    const links = Object.keys(SCENARIOS).map((name) => `http://localhost:${port}/s/ma_x/${name}#x`)
    process.stdout.write(`Development mock of the secure surface:\n${links.join('\n')}\n`)
  })
}

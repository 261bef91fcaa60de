import type { ErrorEnvelope } from '@mintmark/contract/errors'
import type {
  Adjustment,
  ApprovalOptions,
  EnterCardRequest,
  FrameInfo,
  LaunchRequest,
  LaunchResponse,
  RegistrationResponse,
  SelectCardRequest,
  SurfaceView,
  VerifyCardRequest,
} from '@mintmark/contract/wire/surface'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'
import { Refusal, Unreachable } from './errors.ts'
import { readerInfo } from './locale.ts'

/** Longer than the backend's own budget for the card network, so that its answer is heard. */
const CALL_TIMEOUT_MILLIS = 20_000

/** The calls of the surface's backend. The session token lives in here, and in what is kept for a reload. */
export interface Backend {
  launch(request: LaunchRequest): Promise<LaunchResponse>
  /** Goes on with a token of before a reload. */
  resume(sessionToken: string): void
  session(signal?: AbortSignal): Promise<SurfaceView>
  enterCard(card: EnterCardRequest): Promise<SurfaceView>
  selectCard(choice: SelectCardRequest): Promise<SurfaceView>
  verifyCard(code: VerifyCardRequest): Promise<SurfaceView>
  registrationOptions(frame: FrameInfo): Promise<PublicKeyCredentialCreationOptionsJSON>
  register(response: RegistrationResponseJSON, frame: FrameInfo): Promise<SurfaceView>
  /** The terms as the merchant asks for them, or with what the cardholder changes of them. */
  approvalOptions(frame: FrameInfo, adjust: Adjustment | null): Promise<ApprovalOptions>
  approve(response: AuthenticationResponseJSON): Promise<SurfaceView>
  moreTime(): Promise<SurfaceView>
  cancel(): Promise<SurfaceView>
}

interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: object
  signal?: AbortSignal | undefined
}

export function createBackend(): Backend {
  let token: string | null = null
  // The answers are typed, not parsed again: they come from the page's own origin, which also served this script.
  const call = <Answer>(request: Call) => send(request, token) as Promise<Answer>
  const post = <Answer>(path: string, body: object = {}) => call<Answer>({ method: 'POST', path, body })
  // What the approval is asked with came with the passkey: the page has it at once when it asks next.
  let ahead: ApprovalOptions | null = null
  return {
    async launch(request) {
      const launched = await post<LaunchResponse>('launch', request)
      token = launched.session_token
      return launched
    },
    resume(sessionToken) {
      token = sessionToken
    },
    session: (signal) => call({ method: 'GET', path: 'session', signal }),
    enterCard: (card) => post('cards', card),
    selectCard: (choice) => post('cards/select', choice),
    verifyCard: (code) => post('cards/verify', code),
    registrationOptions: (frame) => post('passkeys/registration-options', { frame }),
    async register(response, frame) {
      const asked = { response, frame, reader: readerInfo() }
      const { view, approval } = await post<RegistrationResponse>('passkeys/registrations', asked)
      ahead = approval
      return view
    },
    async approvalOptions(frame, adjust) {
      const known = adjust === null ? ahead : null
      ahead = null
      const asked = { frame, reader: readerInfo(), ...(adjust !== null && { adjust }) }
      return known ?? post('approval-options', asked)
    },
    approve: (response) => post('approvals', { response }),
    moreTime: () => post('more-time'),
    cancel: () => post('cancel'),
  }
}

async function send({ method, path, body, signal }: Call, token: string | null): Promise<unknown> {
  const headers: { accept: string; authorization?: string; 'content-type'?: string } = { accept: 'application/json' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (token !== null) headers.authorization = `Bearer ${token}`
  let response: Response
  let text: string
  try {
    response = await fetch(`/api/${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: deadline(signal),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    })
    text = await response.text()
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Unreachable('The payment service did not answer.', { cause: error })
  }
  const answer = parseJson(text)
  if (!response.ok) throw refusalFrom(response, answer)
  if (answer === null) throw refusalFrom(response, null)
  return answer
}

/** `AbortSignal.any` would do, but phones of 2023 do not have it yet. */
function deadline(signal: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(CALL_TIMEOUT_MILLIS)
  if (signal === undefined) return timeout
  const either = new AbortController()
  for (const cause of [timeout, signal]) {
    if (cause.aborted) either.abort(cause.reason)
    cause.addEventListener('abort', () => either.abort(cause.reason), { once: true })
  }
  return either.signal
}

function parseJson(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

function refusalFrom(response: Response, answer: object | null): Refusal {
  const envelope = isEnvelope(answer) ? answer.error : { code: 'INTERNAL_ERROR', message: 'unreadable answer' }
  return new Refusal({
    code: envelope.code,
    status: response.status,
    message: envelope.message,
    details: envelope.details ?? {},
    reference: response.headers.get('x-response-id'),
    retryAfterSeconds: retryAfter(response.headers.get('retry-after')),
  })
}

function isEnvelope(answer: object | null): answer is ErrorEnvelope {
  if (answer === null || !('error' in answer)) return false
  const { error } = answer
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
}

function retryAfter(header: string | null): number | null {
  return header !== null && /^\d{1,5}$/.test(header.trim()) ? Number(header) : null
}

import type { PermissionsView, ResumeOptions, Visit, VisitOptions } from '@mintmark/contract/wire/permissions'
import { startAuthentication } from '../src/passkey-dialogs.ts'

const CALL_TIMEOUT_MILLIS = 20_000

/** The service said no. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

/** The dialog of the browser was closed, or it could not be shown. */
export class NotSigned extends Error {}

/** The calls of the page. The token of the visit lives in here, and nowhere else. */
export function createCalls(merchantId: string) {
  let token: string | null = null
  const post = <Answer>(path: string, body?: object) => send(`/${path}`, token, body) as Promise<Answer>
  return {
    async signIn(): Promise<PermissionsView> {
      const asked = { merchant_id: merchantId }
      const { visit, options } = await post<VisitOptions>('sign-in/options', asked)
      const signedIn = await post<Visit>('sign-in', { ...asked, visit, response: await signed(options) })
      token = signedIn.token
      return signedIn.view
    },
    signOut() {
      token = null
    },
    read: () => send('', token, null) as Promise<PermissionsView>,
    pause: (id: string) => post<PermissionsView>(`${id}/pause`),
    end: (id: string) => post<PermissionsView>(`${id}/cancel`),
    async goOn(id: string): Promise<PermissionsView> {
      const { terms, options } = await post<ResumeOptions>(`${id}/resume/options`)
      return post<PermissionsView>(`${id}/resume`, { resume_id: terms.resume_id, response: await signed(options) })
    },
  }
}
export type Calls = ReturnType<typeof createCalls>

async function signed(options: object): Promise<object> {
  const optionsJSON = options as Parameters<typeof startAuthentication>[0]['optionsJSON']
  try {
    return await startAuthentication({ optionsJSON })
  } catch (cause) {
    throw new NotSigned('The passkey was not used.', { cause })
  }
}

/** `body` null: a read. */
async function send(path: string, token: string | null, body: object | null = {}): Promise<unknown> {
  const response = await fetch(`/api/permissions${path}`, {
    method: body === null ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      ...(body !== null && { 'content-type': 'application/json' }),
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: body === null ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(CALL_TIMEOUT_MILLIS),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
  })
  const answer = await response.json().catch(() => null)
  if (!response.ok || answer === null) throw new Refused(response.status, answer?.error?.code ?? '')
  return answer
}

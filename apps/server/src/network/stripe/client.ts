import type { EgressPolicy } from '../../platform/egress/policy.ts'
import { send } from '../../platform/egress/send.ts'
import { isRecord, type JsonRecord } from '../../platform/json.ts'
import type { Secret } from '../../platform/secret.ts'

/** The version that every call names, so that answers keep the shape that is checked here. */
const API_VERSION = '2026-10-28.endive'

export interface StripeAccess {
  /** A secret or restricted key of the account. */
  key: Secret
  /** Where the API is. */
  apiUrl: string
  policy: EgressPolicy
}

/**
 * How a call ended. `refused` is Stripe's word that it did nothing. All else is `unknown`: time-outs, broken
 * connections, its own failures, and conflicts with a call that is still running under the same key.
 */
export type StripeAnswer =
  | { outcome: 'ok'; body: JsonRecord }
  | { outcome: 'refused'; status: number; code: string }
  | { outcome: 'unknown'; cause: string; isBusy: boolean }

/** A field of a form; what is nested is written with brackets. */
export type Form = { readonly [name: string]: string | number | boolean | Form | readonly string[] | undefined }

interface Call {
  method: 'GET' | 'POST'
  path: string
  form?: Form
  idempotencyKey?: string
}

/**
 * One call. Nothing is sent a second time by itself: whoever asks again has to know what that means. A key that is
 * refused says nothing of what was asked, so it is `unknown` too.
 */
export async function callStripe(
  access: StripeAccess,
  { method, path, form, idempotencyKey }: Call,
): Promise<StripeAnswer> {
  const encoded = encodeForm(form ?? {})
  const isGet = method === 'GET'
  const sent = await send({
    url: `${access.apiUrl}${path}${isGet && encoded !== '' ? `?${encoded}` : ''}`,
    method,
    headers: {
      authorization: `Bearer ${access.key.reveal()}`,
      'stripe-version': API_VERSION,
      ...(isGet ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(isGet ? {} : { body: encoded }),
    policy: access.policy,
  })
  if (sent.kind === 'failed') return unknown(`${sent.category}: ${sent.detail}`)
  const body = sent.isComplete ? parsed(sent.body) : undefined
  if (body === undefined) return unknown('an answer that is not whole')
  if (sent.status === 200) return { outcome: 'ok', body }
  const code = codeOf(body)
  if (sent.status === 409) return { outcome: 'unknown', cause: `409 ${code}`, isBusy: true }
  if (!REFUSALS.has(sent.status) || code === 'idempotency_error') return unknown(`${sent.status} ${code}`)
  return { outcome: 'refused', status: sent.status, code }
}

const REFUSALS: ReadonlySet<number> = new Set([400, 402, 404])

function unknown(cause: string): StripeAnswer {
  return { outcome: 'unknown', cause, isBusy: false }
}

function parsed(body: Buffer): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Codes of errors are a closed vocabulary; messages may quote data, and are not read. */
function codeOf({ error }: JsonRecord): string {
  if (!isRecord(error)) return 'none'
  const code = error.type === 'idempotency_error' ? error.type : (error.code ?? error.type)
  return typeof code === 'string' && /^[a-z0-9_]{1,60}$/.test(code) ? code : 'none'
}

function encodeForm(form: Form): string {
  return pairsOf(form)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
}

function pairsOf(form: Form, within = ''): [string, string][] {
  return Object.entries(form).flatMap(([field, value]): [string, string][] => {
    const name = within === '' ? field : `${within}[${field}]`
    if (value === undefined) return []
    if (Array.isArray(value)) return value.map((one, index) => [`${name}[${index}]`, String(one)])
    return typeof value === 'object' ? pairsOf(value as Form, name) : [[name, String(value)]]
  })
}

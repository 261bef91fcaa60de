/** Why a request was refused, and what to do about it. The texts name no value of the request and no secret. */
const MESSAGES = {
  BODY_PARSED:
    'The body was parsed already. A signature is over the bytes that were sent: pass the raw body as text, Buffer or ' +
    'Uint8Array. In Express that is express.raw({ type: "application/json" }) for this route, with fetch `await request.text()`.',
  BODY_INVALID:
    'The signature is right, but the body is no event. Is the secret used by another sender that signs the same way?',
  HEADERS_INVALID:
    'The headers are no headers. Pass request.headers of node:http, a Headers object, or an object of names and values.',
  HEADER_MISSING:
    'A header is missing: webhook-id, webhook-timestamp and webhook-signature are needed. Either this is no webhook, or a ' +
    'proxy in front of you drops headers that it does not know.',
  HEADER_REPEATED: 'webhook-id or webhook-timestamp was sent more than once, so it is not certain what was signed.',
  SECRET_MISSING:
    'There is no secret to verify with. Pass the signing_secret that was shown when the endpoint was created (whsec_…), or ' +
    'several in an array. Is the environment variable set?',
  SECRET_INVALID:
    'A secret has not the form whsec_ and base64. It is the signing_secret of an endpoint, not an API key (sk_…), and is ' +
    'passed whole, with whsec_ and without quotes or blanks.',
  TIMESTAMP_INVALID: 'webhook-timestamp is no time: whole seconds since 1970 are expected.',
  TIMESTAMP_TOO_OLD:
    'The request was signed longer ago than the tolerance. Every attempt is signed anew, so this is a copy of an old one, or ' +
    'the clock of this machine is ahead.',
  TIMESTAMP_TOO_NEW: 'The request was signed in the future. The clock of this machine is behind: let it be set by NTP.',
  SIGNATURE_MISMATCH:
    'No signature fits body and secret. Either the secret is of another endpoint or environment, or the body is not the bytes ' +
    'that were sent (parsed and printed again, or decoded), or the request is not from Mintmark. Answer 401 or 400 and do nothing.',
  TOLERANCE_INVALID:
    'toleranceSeconds must be a number above 0 and at most 3600. A check of the time cannot be left out.',
} as const

/** The closed set of reasons. */
export type VerificationCode = keyof typeof MESSAGES

/** A request that cannot be trusted. Answer it with a 4xx status and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly code: VerificationCode
  constructor(code: VerificationCode, options?: { cause?: unknown }) {
    super(MESSAGES[code], options)
    this.code = code
  }
}

export const VERIFICATION_CODES = Object.keys(MESSAGES) as VerificationCode[]

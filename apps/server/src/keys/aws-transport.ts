import { wholeAnswer } from './remote.ts'

/** What the SDK wants to be sent, already signed. */
interface SignedRequest {
  method: string
  protocol: string
  hostname: string
  port?: number
  path: string
  query?: Record<string, string | string[] | null>
  headers: Record<string, string>
  body?: unknown
}

/**
 * Sends what the SDK has signed through the service's own connector. The clients that the SDK makes to find credentials
 * (STS, SSO) take it over. Only the metadata services of a machine and of a container are asked by the SDK itself, over
 * link-local addresses.
 */
export const throughConnector = {
  metadata: { handlerProtocol: 'http/1.1' },
  async handle(request: SignedRequest, { abortSignal }: { abortSignal?: unknown } = {}) {
    const { method, headers, body } = request
    const signal = abortSignal instanceof AbortSignal ? abortSignal : undefined
    const answer = await wholeAnswer({ url: urlOf(request), method, headers, body: bytesOf(body), signal })
    return { response: { statusCode: answer.status, headers: flat(answer.fields), body: answer.body } }
  },
  updateHttpClientConfig: () => undefined,
  httpHandlerConfigs: () => ({}),
}

/** The query in the spelling that is signed, in which a blank is `%20`. */
function urlOf({ protocol, hostname, port, path, query }: SignedRequest): string {
  const words = Object.entries(query ?? {}).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encode(name)}=${encode(one ?? '')}`),
  )
  const search = words.length === 0 ? '' : `?${words.join('&')}`
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}${search}`
}

/** RFC 3986: `encodeURIComponent` leaves five signs out. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

function bytesOf(body: unknown): Buffer | string | undefined {
  if (body === undefined || typeof body === 'string') return body
  if (body instanceof Uint8Array) return Buffer.from(body)
  throw new Error('A body of the AWS SDK that is neither text nor bytes.')
}

function flat(fields: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value].flat().join(', ')]))
}

/** Told before each pause, so that a program can say what it waits for. */
export interface RetryNotice {
  /** How many attempts have failed. */
  attempt: number
  waitMillis: number
  /** Null: there was no answer at all. */
  status: number | null
  reason: string
}

/** Where calls go, and how they are repeated. */
export interface ConnectionOptions {
  /** The address of the main API, for example `http://localhost:4000`. */
  apiUrl: string | URL
  /** How often a failed call is repeated. */
  retries?: number | undefined
  /** The first pause. It doubles, up to a minute, and varies by a fifth. Default: 500. */
  backoffMillis?: number | undefined
  /** How long one attempt may take. Default: 30000. */
  timeoutMillis?: number | undefined
  /** Called before each pause. */
  onRetry?: ((notice: RetryNotice) => void) | undefined
  /** Ends the call, and every pause. */
  signal?: AbortSignal | undefined
  /** Instead of the one of Node. */
  fetch?: typeof fetch | undefined
}

/**
 * Before anything is sent, because no repetition mends it. And without its value: what `fetch` says of an address that it cannot use
 * quotes it, and errors are logged.
 */
export function checkAddress(apiUrl: string | URL): void {
  if (!isAddress(String(apiUrl))) throw new TypeError(NO_ADDRESS)
}

/** The same of a key. */
export function checkSecretKey(secretKey: unknown): asserts secretKey is string {
  if (typeof secretKey !== 'string' || !/^[\x21-\x7e]+$/.test(secretKey.trim())) throw new TypeError(NO_KEY)
}

function isAddress(text: string): boolean {
  // What is asked is appended: behind a question mark it would be another parameter.
  if (!URL.canParse(text) || /[?#]/.test(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

const NO_ADDRESS =
  'apiUrl is no address of the main API: it begins with http:// or https:// and holds no password, ? or #, as http://localhost:4000.'
const NO_KEY =
  'secretKey is no secret key: that is one word, sk_test_… or sk_live_…, without blanks and line ends. Is the environment variable set?'

import { type MintmarkError, sdkError } from './error.ts'

/** The page answers a hello as soon as it is loaded. */
const ANSWERS_WITHIN_MILLIS = 3_000
const READY_WITHIN_MILLIS = 20_000
const PROBE_WITHIN_MILLIS = 4_000
const PASSKEYS = ['publickey-credentials-get', 'publickey-credentials-create']

interface FeaturePolicy {
  allowsFeature(feature: string): boolean
  features(): string[]
}

/** Chromium tells; elsewhere only the attempt does. */
type Judged = HTMLIFrameElement & { permissionsPolicy?: FeaturePolicy; featurePolicy?: FeaturePolicy }

export interface Watch {
  /** What loaded is the payment page. */
  found(): void
  /** It may go on. */
  ready(): void
}

/** Says why the payment page does not come up, as far as a browser lets a page know. `signal` ends it. */
export function watchLoading(
  frame: HTMLIFrameElement,
  { url, signal, report }: { url: URL; signal: AbortSignal; report(error: MintmarkError): void },
): Watch {
  let isFound = false
  let answer: ReturnType<typeof setTimeout> | undefined
  const late = setTimeout(() => report(lateError(url, isFound)), READY_WITHIN_MILLIS)
  const stop = () => {
    clearTimeout(answer)
    clearTimeout(late)
  }
  const refuse = async () => {
    const error = refusal(url, await answers(url))
    if (!signal.aborted && !isFound) report(error)
  }
  // A browser says "load" of a page that it refused to show, too.
  frame.addEventListener(
    'load',
    () => {
      clearTimeout(answer)
      if (!isFound) answer = setTimeout(refuse, ANSWERS_WITHIN_MILLIS)
    },
    { signal },
  )
  const violated = ({ effectiveDirective, blockedURI, disposition }: SecurityPolicyViolationEvent) => {
    if (disposition !== 'enforce' || effectiveDirective !== 'frame-src' || !blockedURI.startsWith(url.origin)) return
    report(
      loadError(`The Content-Security-Policy of this page keeps the payment page out: add ${url.origin} to frame-src.`),
    )
  }
  document.addEventListener('securitypolicyviolation', violated, { signal })
  signal.addEventListener('abort', stop)
  return {
    found() {
      isFound = true
      clearTimeout(answer)
    },
    ready: stop,
  }
}

/** Why passkeys will not work in the frame. Null where that is not known: the page itself offers a tab then. */
export function passkeyProblem(frame: Judged, { origin }: URL): string | null {
  const policy = frame.permissionsPolicy ?? frame.featurePolicy
  // What the page's header, and each page around it, leave of what `allow` says.
  const missing = PASSKEYS.filter((name) => policy?.features().includes(name) && !policy.allowsFeature(name))
  if (missing.length === 0) return null
  const header = `its Permissions-Policy header needs ${missing.map((name) => `${name}=(self "${origin}")`).join(', ')}`
  const around = `the frame around it needs allow="${missing.map((name) => `${name} *`).join('; ')}"`
  const cure = window === window.top ? header : `${header}, or ${around}`
  return `This page may not pass passkeys on: ${cure}. The cardholder is sent to a tab of its own until then.`
}

function lateError({ origin }: URL, isFound: boolean): MintmarkError {
  return isFound
    ? sdkError('SDK_INIT_ERROR', `The payment page of ${origin} is there, and its service has not answered yet.`, true)
    : sdkError('IFRAME_LOAD_ERROR', `${origin} has not sent the payment page yet.`, true)
}

function refusal({ origin }: URL, isThere: boolean): MintmarkError {
  return loadError(
    isThere
      ? `${origin} may not be framed by ${location.origin}. Register this origin, and that of each page around it, with the ` +
          `account: mintmark merchant update MERCHANT --origin ${location.origin}`
      : `${origin} does not send the payment page: it is not running or not reachable, or this page forbids to ask it ` +
          `(connect-src), and ${location.origin} is not registered with the account.`,
  )
}

function loadError(message: string): MintmarkError {
  return sdkError('IFRAME_LOAD_ERROR', message)
}

/** Whether a server answers there. The secret of the address stays here: a browser sends no fragment. */
async function answers(url: URL): Promise<boolean> {
  const quietly = { mode: 'no-cors', credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer' } as const
  try {
    await fetch(url.origin + url.pathname, { ...quietly, signal: AbortSignal.timeout(PROBE_WITHIN_MILLIS) })
    return true
  } catch {
    return false
  }
}

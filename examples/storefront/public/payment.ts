/** Embeds the secure surface of Mintmark in a page. Nothing else of it runs here, and no card data passes through. */
const PROTOCOL = 'mintmark.frame.1'
const HELLO_EVERY_MILLIS = 200
const CANCEL_WITHIN_MILLIS = 5_000

/** What the surface tells the page around it. Enough to draw by; never proof that anything was paid. */
export type PaymentMessage =
  | { type: 'ready'; session_id: string }
  | { type: 'change'; step: PaymentStep; complete: boolean; brand: string | null }
  | { type: 'card_collected'; card: { card_last4: string; card_brand: string | null } }
  | { type: 'completed'; session_id: string; outcome: 'approved' | 'failed' | 'expired' | 'revoked' }
  | { type: 'cancelled'; session_id: string }
  | { type: 'error'; code: string; message: string; retryable: boolean }
  | { type: 'resize'; height: number }

export type PaymentStep =
  | 'card'
  | 'card_cvv'
  | 'card_verification'
  | 'passkey_registration'
  | 'approval'
  | 'processing'
  | 'done'

export interface Payment {
  /** Cancels if it still can, and goes when the surface has said so. */
  leave(): void
  remove(): void
}

/** `url` is the session's `iframe_url`, exactly as the API returned it. */
export function embedPayment(into: HTMLElement, url: string, hear: (message: PaymentMessage) => void): Payment {
  const { origin } = new URL(url)
  const frame = document.createElement('iframe')
  frame.title = 'Secure payment'
  // Without this the browser offers no passkeys inside a frame of another site.
  frame.allow = `publickey-credentials-get ${origin}; publickey-credentials-create ${origin}`
  frame.src = url
  const removed = new AbortController()
  const say = (type: 'hello' | 'cancel') => frame.contentWindow?.postMessage({ protocol: PROTOCOL, type }, origin)
  const remove = () => {
    removed.abort()
    clearInterval(hello)
    frame.remove()
  }
  let isLeaving = false
  const act = (message: PaymentMessage) => {
    if (message.type === 'ready') clearInterval(hello)
    if (message.type === 'resize') frame.style.height = `${message.height}px`
    hear(message)
    if (isLeaving && (message.type === 'completed' || message.type === 'cancelled')) remove()
  }
  const listen = (event: MessageEvent) => {
    // Messages count only from this frame and from the surface's own origin.
    if (event.source !== frame.contentWindow || event.origin !== origin) return
    if (event.data?.protocol === PROTOCOL) act(event.data as PaymentMessage)
  }
  addEventListener('message', listen, { signal: removed.signal })
  // The surface says nothing to a page that has not said hello, and hears none until its session is open: so again.
  let hello: ReturnType<typeof setInterval> | undefined
  frame.addEventListener('load', () => {
    clearInterval(hello)
    hello = setInterval(say, HELLO_EVERY_MILLIS, 'hello')
  })
  into.replaceChildren(frame)
  return {
    remove,
    leave() {
      isLeaving = true
      say('cancel')
      setTimeout(remove, CANCEL_WITHIN_MILLIS)
    },
  }
}

import { converse } from './conversation.ts'
import { passkeyProblem, watchLoading } from './diagnosis.ts'
import { MintmarkError, sdkError, tell } from './error.ts'
import type { Callbacks, Card, Dismissal, Settings, Step } from './options.ts'
import { inlinePlace, makeFrame, type Place } from './places.ts'
import type { PageMessage } from './protocol.ts'
import { sheetPlace } from './sheet.ts'

/** Longer than a page takes that is there. Without an answer there is no page to wait for. */
const ASKS_WITHIN_MILLIS = 1_500
const CANCELS_WITHIN_MILLIS = 5_000
/** Time to see the tick. */
const STAYS_MILLIS = 1_800
const TALLEST = 20_000
const NO_CARD = { enrollmentId: null, cardLast4: null, cardBrand: null, cardExpMonth: null, cardExpYear: null }

/** The payment page in this page, from its first byte to its end. */
export class Surface {
  readonly #callbacks: Callbacks
  readonly #isSheet: boolean
  readonly #sessionId: string
  readonly #gone = new AbortController()
  readonly #frame: HTMLIFrameElement
  readonly #place: Place
  readonly #talk
  readonly #watch
  #state: { step: Step; complete: boolean; brand: string | null } | null = null
  #card: Card | null = null
  #isReady = false
  /** From `ready` until the frame is loaded again, by the cardholder for example. */
  #isOpen = false
  #isOver = false
  #isSucceeded = false
  #answer: ReturnType<typeof setTimeout> | undefined

  constructor({ url, sessionId, container, styles, callbacks }: Settings, title: string) {
    const { signal } = this.#gone
    this.#callbacks = callbacks
    this.#sessionId = sessionId
    this.#isSheet = container === null
    this.#frame = makeFrame(url, title)
    this.#talk = converse(this.#frame, { origin: url.origin, signal, hear: (message) => this.#hear(message) })
    const report = (error: MintmarkError) => this.#fail(error)
    this.#watch = watchLoading(this.#frame, { url, signal, report })
    const out = { wantsOut: () => this.#wantsOut(), closed: () => this.#dismiss('closed') }
    this.#place =
      container === null
        ? sheetPlace(this.#frame, { title, styles, ...out })
        : inlinePlace(this.#frame, container, styles)
    const loaded = () => {
      this.#isOpen = false
      this.#place.frameHasWayOut(false)
    }
    this.#frame.addEventListener('load', loaded, { signal })
    // What the page took away itself gives back at once what it took: the page would not scroll any more.
    const taken = new MutationObserver(() => this.#frame.isConnected || this.destroy())
    taken.observe(document, { childList: true, subtree: true })
    signal.addEventListener('abort', () => taken.disconnect())
    const problem = passkeyProblem(this.#frame, url)
    // Not before who opened it can close it.
    if (problem !== null) queueMicrotask(() => this.#fail(sdkError('SDK_INIT_ERROR', problem, true)))
  }

  /** The cardholder can still use it. */
  get isLive(): boolean {
    return !this.#isOver && !this.#gone.signal.aborted && this.#frame.isConnected
  }

  /** Takes it away. The session goes on, and nothing is heard of it any more. */
  destroy(): void {
    if (this.#gone.signal.aborted) return
    this.#gone.abort()
    clearTimeout(this.#answer)
    this.#place.remove()
  }

  /** Ends the session if that is still possible, and takes the page away when it has said so. */
  cancel(): void {
    if (this.#isReady && !this.#isOver) {
      this.#talk.say('cancel')
      this.#closeAfter(CANCELS_WITHIN_MILLIS)
    } else this.#dismiss('closed')
  }

  #hear(message: PageMessage): void {
    if ('session_id' in message && message.session_id !== this.#sessionId) return
    this.#watch.found()
    if (message.type === 'ready') this.#greet()
    else if (message.type === 'resize') this.#place.resize(Math.min(Math.max(message.height, 0), TALLEST))
    else if (message.type === 'change' || message.type === 'card_collected') this.#hearChange(message)
    else if (message.type === 'completed') this.#end(message)
    else if (message.type === 'cancelled') this.#dismiss('cancelled')
    else if (message.type === 'error') this.#hearError(message)
    else if (message.type === 'asking') clearTimeout(this.#answer)
    else if (message.type === 'escape' && this.#isSheet) this.#wantsOut()
    this.#place.frameHasWayOut(this.#hasWayOut)
  }

  /** While there is something to lose the page shows its own, and asks in its own words. */
  get #hasWayOut(): boolean {
    return this.#isOpen && !this.#isOver && this.#state?.step !== 'processing'
  }

  #greet(): void {
    this.#talk.greeted()
    this.#watch.ready()
    this.#isOpen = true
    // Once: a page that was loaded again goes on where it was.
    if (this.#isReady) return
    this.#isReady = true
    if (this.#isSheet) this.#frame.focus()
    this.#call(() => this.#callbacks.onReady?.({ sessionId: this.#sessionId }))
  }

  #hearChange(message: Extract<PageMessage, { type: 'change' | 'card_collected' }>): void {
    if (message.type === 'card_collected') this.#card = cardOf(message.card)
    else this.#state = { step: message.step, complete: message.complete, brand: message.brand }
    const state = this.#state
    if (state !== null && !this.#isOver) this.#call(() => this.#callbacks.onChange?.({ ...state, card: this.#card }))
  }

  #end({ outcome, error_code: code }: Extract<PageMessage, { type: 'completed' }>): void {
    if (this.#isOver) return
    this.#isOver = true
    const codes = { failed: code ?? 'SESSION_FAILED', expired: 'AUTH_1003', revoked: 'AUTH_1004' }
    if (outcome === 'approved') this.#succeed()
    else if (Object.hasOwn(codes, outcome))
      this.#fail(new MintmarkError(codes[outcome], `The session has ended: ${outcome}.`))
  }

  #succeed(): void {
    this.#isSucceeded = true
    if (this.#isSheet) this.#closeAfter(STAYS_MILLIS)
    this.#call(() => this.#callbacks.onSuccess?.({ sessionId: this.#sessionId, ...(this.#card ?? NO_CARD) }))
  }

  /** Before it is ready the page says only why it will never be. */
  #hearError({ code, message, retryable }: Extract<PageMessage, { type: 'error' }>): void {
    // The cardholder reads of it, and mends it; it is no mistake of the page's.
    if (this.#isReady) this.#call(() => this.#callbacks.onError?.(new MintmarkError(code, message, retryable)))
    else if (!this.#isOver) {
      this.#isOver = !retryable
      this.#talk.greeted()
      this.#watch.ready()
      this.#fail(
        sdkError('SDK_INIT_ERROR', `The payment page does not open this session (${code}): ${message}`, retryable),
      )
    }
  }

  #fail(error: MintmarkError): void {
    if (this.#gone.signal.aborted) return
    tell(error)
    // There is nothing to see in a frame that did not load.
    if (error.code === 'IFRAME_LOAD_ERROR' && !error.retryable) this.destroy()
    guard(() => this.#callbacks.onError?.(error))
  }

  /** On the sheet's button, beside the sheet, Escape or the back button. */
  #wantsOut(): void {
    if (this.#hasWayOut) {
      this.#frame.focus()
      this.#talk.say('close')
      this.#closeAfter(ASKS_WITHIN_MILLIS)
    } else this.#dismiss('closed')
  }

  #closeAfter(millis: number): void {
    clearTimeout(this.#answer)
    this.#answer = setTimeout(() => this.#dismiss('closed'), millis)
  }

  #dismiss(reason: Dismissal['reason']): void {
    if (this.#gone.signal.aborted) return
    this.#isOver = true
    this.destroy()
    if (!this.#isSucceeded) guard(() => this.#callbacks.onDismiss?.({ reason }))
  }

  #call(work: () => void): void {
    if (!this.#gone.signal.aborted) guard(work)
  }
}

function cardOf(card: Extract<PageMessage, { type: 'card_collected' }>['card']): Card {
  return {
    enrollmentId: card.card_id,
    cardLast4: card.card_last4,
    cardBrand: card.card_brand,
    cardExpMonth: card.card_exp_month,
    cardExpYear: card.card_exp_year,
  }
}

/** A mistake in the page's own function is the page's, and ends nothing here. */
function guard(work: () => void): void {
  try {
    work()
  } catch (error) {
    reportError(error)
  }
}

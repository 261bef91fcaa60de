import type { FrameInfo, SurfaceOutcome, SurfaceStep, SurfaceView } from '@mintmark/contract/surface-api'
import { browserSupportsWebAuthn } from '@simplewebauthn/browser'
import type { Backend } from './backend.ts'
import { type Reaction, Refusal, ruleFor } from './errors.ts'
import { ancestorsAllowed, connectFrame, type FrameLink, NO_FRAME } from './frame-link.ts'
import { originAllowed } from './frame-protocol.ts'
import type { SurfaceLink } from './link.ts'
import { createPage, type Page } from './page.ts'
import { frameForbids } from './passkey.ts'
import { poll } from './poll.ts'
import { type Hurdle, reliably } from './reliable.ts'
import type { Desk, PasskeyTrouble, Screen } from './screen.ts'
import { offline } from './screens/offline.ts'
import { otherTab } from './screens/other-tab.ts'
import { outcomeScreen } from './screens/outcome.ts'
import { passkeyFailed } from './screens/passkey-failed.ts'
import { type Dead, deadEnd, trouble } from './screens/problem.ts'
import { rateLimited } from './screens/rate-limited.ts'
import { Superseded } from './stage.ts'
import { FRAME_PERMISSION, NEEDS_PASSKEY, STEP_SCREENS } from './steps.ts'

/** The page's one conductor: asks the backend where the cardholder stands and draws that. It decides no step itself. */
export class SurfaceApp implements Desk {
  readonly backend: Backend
  readonly frame: FrameInfo = { embedded: window.parent !== window }
  readonly #page: Page
  #view: SurfaceView | null = null
  /** The service's clock minus the device's. */
  #clockOffsetMs = 0
  #link: FrameLink = NO_FRAME
  #collectedCardId: string | null = null

  constructor(root: HTMLElement, backend: Backend) {
    this.backend = backend
    this.#page = createPage(root, {
      embedded: this.frame.embedded,
      now: () => this.now(),
      cancel: () => this.#cancel(),
      timeOver: () => void this.#reload(),
    })
  }

  get view(): SurfaceView {
    if (this.#view === null) throw new Error('Nothing was launched yet.')
    return this.#view
  }

  now(): Date {
    return new Date(Date.now() + this.#clockOffsetMs)
  }

  async start(link: SurfaceLink | null): Promise<void> {
    if (link === null) return this.#end('incomplete_link')
    const { merchantId: merchant_id, sessionId: session_id, launchSecret: launch_secret } = link
    await this.#attempt(async () => {
      const work = () => this.backend.launch({ merchant_id, session_id, launch_secret })
      this.#open(await reliably({ work, clear: (hurdle) => this.#clear(hurdle) }))
    })
  }

  async perform(work: () => Promise<SurfaceView>, handled?: (refusal: Refusal) => boolean): Promise<void> {
    const before = this.view
    await this.#attempt(async () => {
      const settled = async () => {
        const now = await this.backend.session()
        return standsElsewhere(before, now) ? now : null
      }
      this.#draw(await reliably({ work, settled, clear: (hurdle) => this.#clear(hurdle) }))
    }, handled)
  }

  async fetch<Answer>(work: () => Promise<Answer>): Promise<Answer | null> {
    let answer: Answer | null = null
    await this.#attempt(async () => {
      answer = await reliably({ work, clear: (hurdle) => this.#clear(hurdle) })
    })
    return answer
  }

  follow(over: (view: SurfaceView) => boolean): () => void {
    return poll(async (signal) => {
      let ended = true
      await this.#attempt(async () => {
        const work = () => this.backend.session(signal)
        const view = await reliably({ work, clear: (hurdle) => this.#clear(hurdle) })
        ended = signal.aborted || over(view)
        if (ended && !signal.aborted) this.#draw(view)
      })
      return ended
    })
  }

  show(screen: Screen): void {
    this.#page.show(screen)
  }

  redraw(): void {
    this.#draw(this.view)
  }

  passkeyFailed(reason: PasskeyTrouble, words?: string): void {
    if (reason !== 'refused') this.#sendError('PASSKEY_FAILED', 'The passkey was not used.', true)
    this.show(passkeyFailed(this, reason, words))
  }

  continueInTab(): void {
    if (this.frame.embedded) this.show(otherTab(this))
    else this.passkeyFailed('unusable')
  }

  warn(text: string): void {
    this.#page.warn(text)
  }

  say(text: string): void {
    this.#page.say(text)
  }

  progress({ complete, brand }: { complete: boolean; brand: string | null }): void {
    this.#link.send({ type: 'change', step: this.view.step, complete, brand })
  }

  /** The first view: from here on the page knows who may embed it and whether it may go on at all. */
  #open(view: SurfaceView): void {
    const isAllowed = (origin: string) => originAllowed(origin, view.allowed_origins)
    if (this.frame.embedded && !ancestorsAllowed(isAllowed)) this.#end('not_embeddable')
    else {
      if (this.frame.embedded) this.#connect(view)
      this.#draw(view)
    }
  }

  #connect({ allowed_origins, session_id }: SurfaceView): void {
    this.#link = connectFrame({
      parent: window.parent,
      allowedOrigins: allowed_origins,
      sessionId: session_id,
      content: this.#page.element,
      onCancel: () => void this.#cancel(),
    })
  }

  #draw(view: SurfaceView): void {
    // An answer that was on its way while the session ended must not open it again.
    if (this.#view?.step === 'done' && view.step !== 'done') return
    this.#view = view
    this.#clockOffsetMs = Date.parse(view.now) - Date.now()
    this.#page.describe(view)
    this.#announce(view)
    this.show(this.#screenFor(view.step))
  }

  #screenFor(step: SurfaceStep): Screen {
    const { embedded } = this.frame
    if (NEEDS_PASSKEY[step] && !browserSupportsWebAuthn()) return deadEnd('unsupported', embedded)
    const permission = FRAME_PERMISSION[step]
    if (embedded && permission && frameForbids(permission)) return otherTab(this)
    return STEP_SCREENS[step](this)
  }

  #announce(view: SurfaceView): void {
    const { step, card, session_id, outcome } = view
    this.#link.send({ type: 'change', step, complete: false, brand: card?.card_brand ?? null })
    const choosing = step === 'card' || step === 'card_cvv' || step === 'card_verification'
    if (card && !choosing && card.card_id !== this.#collectedCardId) {
      this.#collectedCardId = card.card_id
      this.#link.send({ type: 'card_collected', card })
    }
    if (step === 'done') this.#announceEnd(session_id, outcome ?? 'failed')
  }

  #announceEnd(session_id: string, outcome: SurfaceOutcome): void {
    this.#link.send(
      outcome === 'cancelled' ? { type: 'cancelled', session_id } : { type: 'completed', session_id, outcome },
    )
  }

  async #cancel(): Promise<void> {
    if (this.#view === null || this.#view.step === 'done') return
    await this.perform(
      () => this.backend.cancel(),
      ({ code }) => {
        if (code !== 'INVALID_STATE') return false
        this.warn('It is too late to cancel.')
        return true
      },
    )
  }

  async #reload(): Promise<void> {
    await this.#attempt(async () => {
      const work = () => this.backend.session()
      this.#draw(await reliably({ work, clear: (hurdle) => this.#clear(hurdle) }))
    })
  }

  /** Runs what may be refused, and puts a refusal where it belongs. Anything else that is thrown is a fault of ours. */
  async #attempt(work: () => Promise<void>, handled?: (refusal: Refusal) => boolean): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (error instanceof Superseded) return
      if (error instanceof DOMException && error.name === 'AbortError') return
      if (!(error instanceof Refusal)) {
        this.show(trouble('Something went wrong on this page.', null, () => location.reload()))
        return
      }
      const { reaction, text } = ruleFor(error)
      this.#sendError(error.code, text, reaction !== 'stop')
      if (!handled?.(error)) this.#refuse(error)
    }
  }

  #refuse(refusal: Refusal): void {
    const { reaction, text } = ruleFor(refusal)
    const offerAgain = () => this.show(trouble(text, refusal.reference, () => void this.#again()))
    const reactions: Record<Reaction, () => void> = {
      // A session that ended in any way refuses calls like this; only asking tells how it ended.
      expired: () => (this.#view === null ? this.#endWith('expired') : void this.#askAgain(refusal)),
      revoked: () => this.#endWith('revoked'),
      link: () => this.#end('unknown_link'),
      // At the launch there is nothing to reload: the session is over.
      reload: () => (this.#view === null ? this.#end('finished') : void this.#askAgain(refusal)),
      passkey: () => this.passkeyFailed('refused', refusal.message),
      frame: () => this.continueInTab(),
      stop: () => this.show(trouble(text, refusal.reference, null)),
      field: offerAgain,
      wait: offerAgain,
      retry: offerAgain,
    }
    reactions[reaction]()
  }

  /** After a refusal that says the session moved. When it did not move after all, drawing it again could go on forever. */
  async #askAgain(refusal: Refusal): Promise<void> {
    const before = this.view
    try {
      const view = await reliably({ work: () => this.backend.session(), clear: (hurdle) => this.#clear(hurdle) })
      if (standsElsewhere(before, view)) this.#draw(view)
      else this.show(trouble(ruleFor(refusal).text, refusal.reference, () => void this.#again()))
    } catch (error) {
      if (error instanceof Refusal && ruleFor(error).reaction === 'expired') this.#endWith('expired')
      else await this.#attempt(() => Promise.reject(error))
    }
  }

  async #again(): Promise<void> {
    if (this.#view === null) location.reload()
    else await this.#reload()
  }

  #clear(hurdle: Hurdle): Promise<void> {
    switch (hurdle.kind) {
      case 'offline':
        return this.#page.interrupt((again) => offline(hurdle.attempt, again))
      case 'wait':
        return this.#page.interrupt((again) => rateLimited(hurdle.seconds, again))
      case 'retry':
        return this.#page.interrupt((again) => trouble(hurdle.text, hurdle.reference, again))
    }
  }

  #endWith(outcome: SurfaceOutcome): void {
    if (this.#view) this.#announceEnd(this.#view.session_id, outcome)
    this.show(outcomeScreen({ outcome, view: this.#view, embedded: this.frame.embedded }))
  }

  #end(kind: Dead): void {
    this.show(deadEnd(kind))
  }

  #sendError(code: string, message: string, retryable: boolean): void {
    this.#link.send({ type: 'error', code, message, retryable })
  }
}

/** Whether a call without an answer took effect after all. */
function standsElsewhere(before: SurfaceView, now: SurfaceView): boolean {
  const place = ({ step, outcome, card }: SurfaceView) => `${step} ${outcome} ${card?.card_id}`
  return place(before) !== place(now)
}

import { READABLE_AFTER_END_SECONDS, type SurfaceOutcome, type SurfaceStep } from '@mintmark/contract/surface'
import type { Adjustment, FrameInfo, SurfaceView } from '@mintmark/contract/wire/surface'
import { browserSupportsWebAuthn } from '@simplewebauthn/browser'
import type { Backend } from './backend.ts'
import { type Reaction, Refusal, reasonText, ruleFor } from './errors.ts'
import type { Flow } from './flows/flow.ts'
import { flowOf } from './flows/flows.ts'
import { ancestorsAllowed } from './frame-link.ts'
import { originAllowed } from './frame-protocol.ts'
import { createFrameReporter } from './frame-reporter.ts'
import { forget, handOn, type Kept, keep } from './kept.ts'
import type { SurfaceLink } from './link.ts'
import { createPage, type Page } from './page.ts'
import { frameForbids } from './passkey.ts'
import { poll } from './poll.ts'
import { type Retrying, withRetries } from './retries.ts'
import type { BlockedReason, PasskeyFailure, Screen, ScreenHost } from './screen.ts'
import { Replaced } from './screen-slot.ts'
import { blockedScreen } from './screens/blocked.ts'
import { errorScreen } from './screens/error.ts'
import { obstacleScreen } from './screens/obstacle.ts'
import { otherTab } from './screens/other-tab.ts'
import { outcomeScreen } from './screens/outcome.ts'
import { passkeyFailed } from './screens/passkey-failed.ts'
import { FRAME_PERMISSION, NEEDS_PASSKEY } from './steps.ts'
import { text } from './text/text.ts'

/** No try of the cardholder's changes it. */
const ENDS: ReadonlySet<Reaction> = new Set(['stop'])
/** The link opens nothing. */
const ENDS_AT_LAUNCH: ReadonlySet<Reaction> = new Set(['stop', 'expired', 'revoked', 'link', 'reload'])

/** Asks the backend where the cardholder stands and draws that, by the flow of the session's kind. It decides no step. */
export class SurfaceApp implements ScreenHost {
  readonly backend: Backend
  readonly frame: FrameInfo = { embedded: window.parent !== window }
  adjustment: Adjustment | null = null
  readonly #page: Page
  readonly #reporter = createFrameReporter(this.frame)
  #view: SurfaceView | null = null
  #kept: Kept | null = null
  #cancelling: Promise<void> | null = null
  /** The service's clock minus the device's. */
  #clockOffsetMillis = 0

  constructor(root: HTMLElement, backend: Backend) {
    this.backend = backend
    this.#page = createPage(root, {
      embedded: this.frame.embedded,
      now: () => this.now(),
      cancel: () => this.#cancel(),
      timeOver: () => void this.#look(() => this.backend.session()),
      moreTime: () => this.#look(() => this.#moreTime()),
    })
  }

  get view(): SurfaceView {
    if (this.#view === null) throw new Error('Nothing was launched yet.')
    return this.#view
  }

  get flow(): Flow {
    return flowOf(this.view)
  }

  get tabAddress(): string {
    const secret = this.#kept?.launchSecret ?? null
    return secret === null ? location.href : `${location.pathname}#${encodeURIComponent(secret)}`
  }

  now(): Date {
    return new Date(Date.now() + this.#clockOffsetMillis)
  }

  /** A link is followed; without its secret the page goes on where it was before it was loaded again. */
  async start(link: SurfaceLink | null, kept: Kept | null): Promise<void> {
    if (link !== null) await this.#attempt(() => this.#launch(link))
    else if (kept !== null) await this.#attempt(() => this.#resume(kept))
    else {
      this.#reporter.error('NOT_FOUND', text.errors.NOT_FOUND, false)
      this.#block('incomplete_link')
    }
  }

  async #launch({ merchantId: merchant_id, sessionId: session_id, launchSecret: launch_secret }: SurfaceLink) {
    const work = () => this.backend.launch({ merchant_id, session_id, launch_secret })
    const { session_token: sessionToken, view } = await this.#retrying({ work })
    const goesOnElsewhere = this.frame.embedded || !browserSupportsWebAuthn()
    this.#kept = { sessionToken, launchSecret: goesOnElsewhere ? launch_secret : null }
    keep(this.#kept)
    this.#open(view)
  }

  async #resume(kept: Kept): Promise<void> {
    this.#kept = kept
    this.backend.resume(kept.sessionToken)
    this.#open(await this.#retrying({ work: () => this.backend.session() }))
  }

  async perform(work: () => Promise<SurfaceView>, handled?: (refusal: Refusal) => boolean): Promise<void> {
    const before = this.view
    await this.#attempt(async () => {
      const settled = async () => {
        const now = await this.backend.session()
        return standsElsewhere(before, now) ? now : null
      }
      this.#draw(await this.#retrying({ work, settled }))
    }, handled && this.#lookingBack(before, handled))
  }

  /** A refusal that stays with its screen, unless the session ended by it. */
  #lookingBack(before: SurfaceView, handled: (refusal: Refusal) => boolean) {
    return (refusal: Refusal): boolean => {
      const isHandled = handled(refusal)
      if (isHandled && refusal.code === 'CARD_REFUSED' && flowOf(before).refusalMayEnd) void this.#drawEnd()
      return isHandled
    }
  }

  async #drawEnd(): Promise<void> {
    await this.#attempt(async () => {
      const view = await this.#retrying({ work: () => this.backend.session() })
      if (view.step === 'done') this.#draw(view)
    })
  }

  async fetch<Answer>(work: () => Promise<Answer>, handled?: (refusal: Refusal) => boolean): Promise<Answer | null> {
    let answer: Answer | null = null
    await this.#attempt(async () => {
      answer = await this.#retrying({ work })
    }, handled)
    // What comes after the end is for a screen that is gone.
    return this.#view?.step === 'done' ? null : answer
  }

  follow(over: (view: SurfaceView) => boolean): () => void {
    return poll(async (signal) => {
      let ended = true
      await this.#attempt(async () => {
        const view = await this.#retrying({ work: () => this.backend.session(signal) })
        ended = signal.aborted || over(view)
        if (ended && !signal.aborted) this.#draw(view)
        else if (!ended) this.#count(view)
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

  passkeyFailed(failure: PasskeyFailure, words?: string | null): void {
    if (failure !== 'refused') this.#reporter.error('PASSKEY_FAILED', text.passkeyFailures[failure].title, true)
    this.show(passkeyFailed(this, failure, words))
  }

  passkeyClosed(words: string): void {
    this.#reporter.error('PASSKEY_FAILED', words, true)
  }

  continueInTab(): void {
    if (this.frame.embedded) this.show(otherTab(this))
    else this.passkeyFailed('unusable')
  }

  summarise(view: SurfaceView): void {
    this.#page.summarise(view, this.flow)
  }

  headline(): HTMLElement[] {
    return this.#page.headline()
  }

  warn(words: string): void {
    this.#page.warn(words)
  }

  say(words: string): void {
    this.#page.say(words)
  }

  progress(state: { complete: boolean; brand: string | null }): void {
    this.#reporter.progress(this.view, state)
  }

  /** The first view: from here on the page knows who may embed it and whether it may go on at all. */
  #open(view: SurfaceView): void {
    const { embedded } = this.frame
    const isAllowed = (origin: string) => originAllowed(origin, view.allowed_origins)
    if (embedded && !ancestorsAllowed(isAllowed)) this.#block('not_embeddable')
    else {
      const asked = { onCancel: () => void this.#cancel(), onClose: () => this.#page.askToLeave() }
      if (embedded) this.#reporter.connect(view, { content: this.#page.element, ...asked })
      this.#draw(view)
    }
  }

  #draw(view: SurfaceView): void {
    // An answer that was on its way while the session ended must not open it again.
    if (this.#view?.step === 'done' && view.step !== 'done') return
    this.#read(view)
    if (view.step === 'done') this.#dropSecret()
    this.#page.describe(view, this.flow)
    this.#reporter.view(view)
    this.show(this.#screenFor(view.step))
  }

  #read(view: SurfaceView): void {
    this.#view = view
    this.#clockOffsetMillis = Date.parse(view.now) - Date.now()
  }

  /** The screen stays as it is: only the end may have moved. */
  #count(view: SurfaceView): void {
    if (standsElsewhere(this.view, view)) return
    this.#read(view)
    this.#page.count(view)
  }

  #screenFor(step: SurfaceStep): Screen {
    const { embedded } = this.frame
    if (NEEDS_PASSKEY[step] && !browserSupportsWebAuthn()) {
      if (!embedded && this.#kept !== null) handOn(this.#kept, this.tabAddress)
      return blockedScreen('unsupported', this)
    }
    const permission = FRAME_PERMISSION[step]
    if (embedded && permission && frameForbids(permission)) return otherTab(this)
    return this.flow.steps[step](this)
  }

  /** One at a time: the page around may ask for it as often as it likes, and each request would count against the cardholder's address. */
  #cancel(): Promise<void> {
    this.#cancelling ??= this.#cancelOnce().finally(() => {
      this.#cancelling = null
    })
    return this.#cancelling
  }

  async #cancelOnce(): Promise<void> {
    if (this.#view === null || this.#view.step === 'done') return
    await this.perform(
      () => this.backend.cancel(),
      ({ code }) => {
        if (code !== 'INVALID_STATE') return false
        this.warn(text.cancel.tooLate)
        return true
      },
    )
  }

  /** Asks where the session stands. Where it stands as before, what was typed and what is being signed stays. */
  async #look(work: () => Promise<SurfaceView>): Promise<void> {
    await this.#attempt(async () => {
      const view = await this.#retrying({ work })
      if (standsElsewhere(this.view, view)) this.#draw(view)
      else this.#count(view)
    })
  }

  /** Where it is refused, because another tab was given it or it is not to be had, the view says how much time there is. */
  async #moreTime(): Promise<SurfaceView> {
    try {
      return await this.backend.moreTime()
    } catch (error) {
      if (error instanceof Refusal && error.code === 'INVALID_STATE') return this.backend.session()
      throw error
    }
  }

  async #reload(): Promise<void> {
    await this.#attempt(async () => {
      this.#draw(await this.#retrying({ work: () => this.backend.session() }))
    })
  }

  /** Runs a call that may be refused, and shows a refusal where it belongs. Any other error is a defect of the page. */
  async #attempt(work: () => Promise<void>, handled?: (refusal: Refusal) => boolean): Promise<void> {
    const before = this.#view
    try {
      await work()
    } catch (error) {
      if (error instanceof Replaced) return
      // It was asked before the session ended, and refused because of that: the end says all.
      if (error instanceof Refusal && this.#hasEndedSince(before)) return
      if (error instanceof DOMException && error.name === 'AbortError') return
      if (!(error instanceof Refusal)) return this.show(errorScreen(text.error.page, null, () => location.reload()))
      const { reaction, text: words } = ruleFor(error)
      this.#reporter.error(error.code, words, !(this.#view === null ? ENDS_AT_LAUNCH : ENDS).has(reaction))
      if (!handled?.(error)) this.#refuse(error)
    }
  }

  #refuse(refusal: Refusal): void {
    const { reaction, text: words } = ruleFor(refusal)
    const offerAgain = () => this.show(errorScreen(words, refusal.reference, () => void this.#again()))
    const reactions: Record<Reaction, () => void> = {
      // A session that ended in any way refuses calls like this; only asking tells how it ended.
      expired: () => (this.#view === null ? this.#block('expired', refusal) : void this.#askAgain(refusal)),
      revoked: () => (this.#view === null ? this.#block('revoked', refusal) : this.#endWith(this.#view, 'revoked')),
      link: () => this.#block('unknown_link'),
      // At the launch there is nothing to reload: the session is over.
      reload: () => (this.#view === null ? this.#block('finished') : void this.#askAgain(refusal)),
      passkey: () => this.passkeyFailed('refused', reasonText(refusal)),
      frame: () => this.continueInTab(),
      stop: () => this.show(errorScreen(words, refusal.reference, null)),
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
      const view = await this.#retrying({ work: () => this.backend.session() })
      if (standsElsewhere(before, view)) this.#draw(view)
      else this.show(errorScreen(ruleFor(refusal).text, refusal.reference, () => void this.#again()))
    } catch (error) {
      if (error instanceof Refusal && ruleFor(error).reaction === 'expired') this.#endExpired(before)
      else await this.#attempt(() => Promise.reject(error))
    }
  }

  async #again(): Promise<void> {
    if (this.#view === null) location.reload()
    else await this.#reload()
  }

  #retrying<Answer>(call: Omit<Retrying<Answer>, 'waitFor'>): Promise<Answer> {
    const before = this.#view
    return withRetries({
      ...call,
      waitFor: async (obstacle) => {
        if (this.#hasEndedSince(before)) throw new Replaced()
        await this.#page.interrupt((again) => obstacleScreen(obstacle, again))
      },
    })
  }

  #hasEndedSince(before: SurfaceView | null): boolean {
    return this.#view?.step === 'done' && before?.step !== 'done'
  }

  /** Words say that the end is not certain: then nothing over the amount claims one. */
  #endWith(before: SurfaceView, outcome: SurfaceOutcome, words?: string): void {
    const view: SurfaceView = { ...before, step: 'done', outcome: words === undefined ? outcome : null }
    this.#reporter.end(view.session_id, outcome)
    this.#page.describe(view, flowOf(view))
    this.show(outcomeScreen({ outcome, view, flow: flowOf(view), frame: this.frame }, words))
  }

  /**
   * The service refuses a session that expired and one that ended long ago alike. Only while an end elsewhere would still
   * be readable is it certain that the session expired, and that nothing was charged.
   */
  #endExpired(view: SurfaceView): void {
    const wasApproved = view.step === 'processing' || view.step === 'done'
    const sinceSeconds = (this.now().getTime() - Date.parse(view.now)) / 1_000
    const isCertain = !wasApproved && sinceSeconds < READABLE_AFTER_END_SECONDS
    this.#endWith(view, 'expired', isCertain ? undefined : text.outcome.endUnknown)
  }

  /** A session that is over opens nowhere else; the token still reads how it ended. */
  #dropSecret(): void {
    if (this.#kept === null || this.#kept.launchSecret === null) return
    this.#kept = { ...this.#kept, launchSecret: null }
    keep(this.#kept)
  }

  #block(reason: BlockedReason, refusal?: Refusal): void {
    // What the service does not accept now it will not accept after a reload.
    if (this.#kept !== null && reason !== 'not_embeddable') forget()
    this.show(blockedScreen(reason, this, refusal?.details))
  }
}

/** Whether a call without an answer took effect after all. */
function standsElsewhere(before: SurfaceView, now: SurfaceView): boolean {
  const place = ({ step, outcome, card }: SurfaceView) => `${step} ${outcome} ${card?.card_id}`
  return place(before) !== place(now)
}

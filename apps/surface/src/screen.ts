import type { Adjustment, FrameInfo, SurfaceView } from '@mintmark/contract/wire/surface'
import type { Backend } from './backend.ts'
import type { Refusal } from './errors.ts'
import type { Flow } from './flows/flow.ts'

/** One state of the page. Its element holds one `heading()`, which takes the focus. */
export interface Screen {
  element: HTMLElement
  /** True where nothing is left to cancel. */
  final?: boolean
  /** Timers and observers start here, not when the screen is built. */
  enter?(): void
  /** Stops them, and empties every input: card data does not outlive its screen. */
  leave?(): void
}

/** What a screen may ask of the page around it. */
export interface ScreenHost {
  view: SurfaceView
  /** The words and screens of the view's kind. */
  flow: Flow
  backend: Backend
  frame: FrameInfo
  /** Where a tab of its own opens the same session. */
  tabAddress: string
  /** What the cardholder changed of the terms: it holds when the approval is tried again. */
  adjustment: Adjustment | null
  /** The service's clock; the device's may be wrong. */
  now(): Date
  /**
   * Makes a call and draws where the cardholder stands after it. A refusal the screen shows itself (`handled` says
   * true) stays with the screen; every other has its own screen.
   */
  perform(work: () => Promise<SurfaceView>, handled?: (refusal: Refusal) => boolean): Promise<void>
  /** Makes a call whose answer is no view; null when something else is on the screen now, or the screen handled a refusal. */
  fetch<Answer>(work: () => Promise<Answer>, handled?: (refusal: Refusal) => boolean): Promise<Answer | null>
  /** Asks where the session stands until `over`; returns what stops it. */
  follow(over: (view: SurfaceView) => boolean): () => void
  /** A screen within the same step. */
  show(screen: Screen): void
  /** The screen of the step again, from its start. */
  redraw(): void
  /** `words` where the backend knows more. */
  passkeyFailed(failure: PasskeyFailure, words?: string | null): void
  /** Its dialog closed: the screen stays, and says so itself. The embedding page hears it. */
  passkeyClosed(words: string): void
  continueInTab(): void
  /** Payee and amount at the top of the sheet. */
  headline(): HTMLElement[]
  /** What stays in sight, of a view that says what the terms say. */
  summarise(view: SurfaceView): void
  /** Above the screen until the session moves. */
  warn(words: string): void
  /** Told to screen readers without moving the focus. */
  say(words: string): void
  /** How far the form is, for the embedding page. */
  progress(state: { complete: boolean; brand: string | null }): void
}

/** Why a passkey ceremony gave nothing, where that has a screen. */
export type PasskeyFailure = 'exists' | 'refused' | 'unusable'

/** Why the page cannot go on at all. The last three: the launch was refused because the session is over. */
export type BlockedReason =
  | 'incomplete_link'
  | 'unknown_link'
  | 'not_embeddable'
  | 'unsupported'
  | 'finished'
  | 'expired'
  | 'revoked'

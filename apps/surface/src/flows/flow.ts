import type { SurfaceOutcome, SurfaceStep } from '@mintmark/contract/surface'
import type { SurfaceView } from '@mintmark/contract/wire/surface'
import type { Phrase } from '../phrase.ts'
import type { Screen, ScreenHost } from '../screen.ts'

/** What the page does with one kind of session. A new kind is a folder with one of these, and a row in `flows.ts`. */
export interface Flow<View extends SurfaceView = SurfaceView> {
  /** A step without a screen does not compile. */
  steps: Record<SurfaceStep, (host: ScreenHost) => Screen>
  /** What the shared screens say for this kind. */
  words: FlowText
  /** The title of the browser's tab. */
  title(view: View): string
  /** The line below that says who gets the card's details. */
  trust(view: View): Phrase
  /** What stays in sight at every step; drawn again when the session ends. */
  summary(view: View): HTMLElement
  /** What the approval is called before its terms have arrived. */
  approvalTitle(view: View): Phrase
  /** The terms in words; null when this page does not understand all of them, so they must not be approved here. */
  terms(value: unknown): Terms | null
  outcome(outcome: SurfaceOutcome, view: View): OutcomeLook
  /** Why a step failed that can be tried again; null when nothing failed. */
  failure(view: View): string | null
}

export interface FlowText {
  cancel: { start: string; question: string }
  /** The heading over the card's fields. */
  enterCard: string
  /** What comes after the passkey was created. */
  afterPasskey: string
  processing: { title: string; text: string; slow: string }
}

/** How an end looks and reads. */
export interface OutcomeLook {
  icon(): HTMLElement
  title: string
  /** Ends on the state of the money. */
  text: string
  /** What there is to keep; none where nothing was paid. */
  receipt: TermLine[]
}

export interface Terms {
  title: Phrase
  lines: TermLine[]
}

export interface TermLine {
  label: string
  value: Phrase
  /** A list below the value. */
  items?: Phrase[]
}

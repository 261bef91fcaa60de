import type { SurfaceOutcome, SurfaceStep } from '@mintmark/contract/surface'
import type { Adjustment, SurfaceView } from '@mintmark/contract/wire/surface'
import type { Refusal } from '../errors.ts'
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
  /** The merchant, at the top of the sheet. */
  payee(view: View): Payee
  /** How much it is and what for, in sight at every step; drawn again when the session ends. */
  summary(view: View): HTMLElement
  /** What the approval is called before its terms have arrived. */
  approvalTitle(view: View): Phrase
  /** What the button that approves says until then. */
  approvalAction(view: View): Phrase
  /** What making a passkey alone allows, where no approval comes after it. */
  said?(view: View): string
  /** The terms in words; null when this page does not understand all of them, so they must not be approved here. */
  terms(value: unknown): Terms | null
  /** What the cardholder may change of the terms before approving; absent or null where nothing can be changed. */
  limits?(host: ScreenHost, use: LimitsUse): Limits | null
  /** The view with what the terms say in place of what was asked for. */
  agreed?(view: View, terms: unknown): View
  /** What is said while it is in progress, where that is not the same for all of this kind; null: it is. */
  processing?(view: View): FlowText['processing'] | null
  outcome(outcome: SurfaceOutcome, view: View): OutcomeLook
  /** The card cannot be exchanged for another one. */
  cardFixed?(view: View): boolean
  /** A refused card may have ended all of it: then how it ended is asked for. */
  refusalMayEnd?: boolean
  /** Why a step failed that can be tried again; null when nothing failed. */
  failure(view: View): string | null
}

export interface FlowText {
  /** What is asked before it is cancelled. */
  cancel: string
  /** The heading over the card's fields. */
  enterCard: string
  /** Whether the card is kept is for the cardholder to say; or that it is kept in any case, said where it is typed. */
  keeping: KeepingText | string
  /** What comes after the passkey was created. */
  afterPasskey: string
  processing: { title: string; text: string; slow: string }
}

export interface KeepingText {
  /** The choice, and what happens with it and without. */
  once: string
  why: string
  /** What becomes of the card then. */
  deleted: string
}

/** How an end reads. */
export interface OutcomeLook {
  title: string
  /** Ends on the state of the money. */
  text: string
  /** The address of the page where the agent that has asked is changed or ended; absent or null where there is none. */
  owners?: string | null
  /** What there is to keep; none where nothing was paid. */
  receipt: ReceiptLine[]
}

/** The host is not always known: an enrollment names no shop. */
export interface Payee {
  name: string
  url?: string
}

/** All that is asked for, as it is signed: shown word for word. */
export interface Said {
  language: string
  text: string
}

/** The card as terms have it. */
export interface SignedCard {
  brand: string | null
  last4: string
}

export interface Terms {
  title: Phrase
  sentence: Said
  card: SignedCard
  /** The button that approves: a cardholder who sees it alone, because a frame is cut to it, must read how much it is. */
  action: Phrase
}

/** Fields for changing the terms, and when they are in use. */
export interface Limits {
  element: HTMLElement
  /** True while the fields say something else than the terms: nothing can be approved then. */
  pending(): boolean
  /** Fills the fields with what the terms say. */
  follow(terms: unknown): void
}

export interface LimitsUse {
  /** Called when `pending` may have changed. */
  changed(): void
  /** Asks for the terms with this adjustment, or for those of the merchant; false when they did not come. */
  send(adjustment: Adjustment | null, handled: (refusal: Refusal) => boolean): Promise<boolean>
}

export interface ReceiptLine {
  label: string
  value: Phrase
}

import type { MintmarkError } from './error.ts'

/** What the payment page takes over of the look of yours. */
export interface Styles {
  /** `#rrggbb`: the ring of the keyboard's focus on the sheet while it is light. 4.5:1 or more against white. */
  accent?: string | undefined
  /** The same while it is dark. 4.5:1 or more against `#141c19`. */
  accentDark?: string | undefined
  /** Pixels, 0 to 32: the corners of the sheet, or of the frame. */
  radius?: number | undefined
  /** `light` unless it is said. `auto` follows the device. */
  scheme?: 'light' | 'dark' | 'auto' | undefined
}

/** Where the cardholder is. `done`: there is nothing left to do. */
export type Step =
  | 'card'
  | 'card_cvv'
  | 'card_verification'
  | 'passkey_registration'
  | 'approval'
  | 'processing'
  | 'done'

export interface Card {
  /** The `card_id` of the API. */
  enrollmentId: string
  cardLast4: string
  cardBrand: string | null
  cardExpMonth: number
  cardExpYear: number
}

export interface Change {
  step: Step
  /** The form that is shown can be sent. */
  complete: boolean
  /** The brand of the number that is being typed, as soon as it is known: `visa`, `amex`, … */
  brand: string | null
  /** The card that was enrolled; null before. */
  card: Card | null
}

/** All null but `sessionId` where the page was opened after its end, and its card had been used just once. */
export type Success = { sessionId: string } & (Card | { [Field in keyof Card]: null })

export interface Dismissal {
  /** `cancelled`: the cardholder ended the session. `closed`: they closed the sheet, and the session goes on or was over. */
  reason: 'cancelled' | 'closed'
}

export interface SurfaceOptions {
  /** `session_token` of the session, from your server. It is compared with `iframeUrl`, and goes nowhere. */
  sessionToken: string
  /** `iframe_url` of the same session, exactly as the API returned it. */
  iframeUrl: string
  /** Where the frame goes: an element, or a selector of one. A sheet needs none. */
  container?: Element | string | null | undefined
  /** `inline` unless it is said: in `container`. `sheet`: over your page. */
  presentation?: 'inline' | 'sheet' | undefined
  styles?: Styles | undefined
  /** The page is there. */
  onReady?: ((ready: { sessionId: string }) => void) | undefined
  onChange?: ((change: Change) => void) | undefined
  /** Once, when it was approved. A hint for your page: ship nothing because of it, ask your server. */
  onSuccess?: ((success: Success) => void) | undefined
  onError?: ((error: MintmarkError) => void) | undefined
  /** Once, when the cardholder left. */
  onDismiss?: ((dismissal: Dismissal) => void) | undefined
}

export type Callbacks = Pick<SurfaceOptions, 'onReady' | 'onChange' | 'onSuccess' | 'onError' | 'onDismiss'>

/** Options that were looked at. */
export interface Settings {
  url: URL
  sessionId: string
  /** Null: a sheet. */
  container: Element | null
  styles: { accent: string | null; accentDark: string | null; radius: number | null; scheme: 'light' | 'dark' | 'auto' }
  callbacks: Callbacks
}

import type { SurfaceOutcome, SurfaceStep } from './surface.ts'
import type { SurfaceCard } from './wire/surface.ts'

/** Version of the postMessage protocol between the page and the page that embeds it. */
export const FRAME_PROTOCOL = 'mintmark.frame.1'

/** Light or dark, or as the device is. A page that is not told is light, as most pages around it are. */
export type FrameScheme = 'light' | 'dark' | 'auto'

/**
 * How the page shall look, as the page around it says; what the merchant's brand says goes before it. `compact`: who
 * and how much stand in one line, and the way out is out there. An accent is of one scheme's page, and can be read on
 * it (`colours.ts`).
 */
export interface FrameAppearance {
  summary?: 'compact' | 'full'
  scheme?: FrameScheme
  accent?: string
  accent_dark?: string
  /** Pixels, as of a brand. */
  radius?: number
}

/**
 * From the embedding page to the surface. `hello` is repeated until `ready` comes; its origin is pinned then. `cancel`:
 * the cardholder has said so. `close`: they want to leave, and are to be asked.
 */
export type ParentMessage =
  | ({ protocol: typeof FRAME_PROTOCOL; type: 'hello' } & FrameAppearance)
  | { protocol: typeof FRAME_PROTOCOL; type: 'cancel' }
  | { protocol: typeof FRAME_PROTOCOL; type: 'close' }

/**
 * From the surface to the embedding page. Never a number, a code, a token or a secret. `loading`, and an `error` before
 * `ready`, answer a `hello` that came before the session was opened: they say nothing of it that its link does not.
 * `asking` answers `close`; `escape`: the key was pressed, and the page had no use for it.
 */
export type FrameMessage =
  | { protocol: typeof FRAME_PROTOCOL; type: 'loading' }
  | { protocol: typeof FRAME_PROTOCOL; type: 'ready'; session_id: string }
  | { protocol: typeof FRAME_PROTOCOL; type: 'change'; step: SurfaceStep; complete: boolean; brand: string | null }
  | { protocol: typeof FRAME_PROTOCOL; type: 'card_collected'; card: SurfaceCard }
  | {
      protocol: typeof FRAME_PROTOCOL
      type: 'completed'
      session_id: string
      outcome: SurfaceOutcome
      /** Why it failed, where the session says so: what the merchant's server reads in `error`. */
      error_code: string | null
    }
  | { protocol: typeof FRAME_PROTOCOL; type: 'cancelled'; session_id: string }
  | { protocol: typeof FRAME_PROTOCOL; type: 'error'; code: string; message: string; retryable: boolean }
  | { protocol: typeof FRAME_PROTOCOL; type: 'resize'; height: number }
  | { protocol: typeof FRAME_PROTOCOL; type: 'asking' }
  | { protocol: typeof FRAME_PROTOCOL; type: 'escape' }

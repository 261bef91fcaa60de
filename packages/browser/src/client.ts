import { MintmarkError, sdkError, tell } from './error.ts'
import type { SurfaceOptions } from './options.ts'
import { readKey, readOptions } from './settings.ts'
import { Surface } from './surface.ts'

/** One page at a time in a window, also where two copies of this package are in it. */
const ACTIVE = Symbol.for('mintmark.active')
const shared = globalThis as { [ACTIVE]?: Pick<Surface, 'isLive' | 'destroy'> | undefined }

/** Shows the cardholder's page of a session. No card number, no code and no secret key passes through. */
export class Mintmark {
  readonly #environment: string
  #surface: Surface | null = null

  /** Throws `INVALID_CONFIG`. */
  constructor(config: { publishableKey: string }) {
    this.#environment = readKey(config)
  }

  /** A payment, and any other session: a card is chosen or entered, and what the session asks for is approved. */
  collectPAN(options: SurfaceOptions): void {
    this.#open(options, 'Secure payment')
  }

  /** The session of an enrollment (`POST /v1/sessions/enroll-card`). */
  enrollCard(options: SurfaceOptions): void {
    this.#open(options, 'Save a card')
  }

  /** The session of a standing permission (`mandate_setup`). */
  setUpMandate(options: SurfaceOptions): void {
    this.#open(options, 'Permission to charge')
  }

  /** Ends the session if that is still possible. `onDismiss` is called when the page has gone. */
  cancel(): void {
    this.#surface?.cancel()
  }

  /** Takes the page away and says nothing. The session goes on: it can be shown again. */
  destroy(): void {
    this.#surface?.destroy()
    this.#surface = null
  }

  #open(options: SurfaceOptions, title: string): void {
    try {
      if (typeof document === 'undefined')
        throw sdkError('SDK_INIT_ERROR', 'There is no page here: call this in a browser.')
      if (!isSecureContext) throw sdkError('SDK_INIT_ERROR', 'Passkeys need a page that is served over https.')
      const settings = readOptions(options, this.#environment)
      if (shared[ACTIVE]?.isLive) {
        throw sdkError(
          'SDK_ALREADY_ACTIVE',
          'A payment page is open already. Call destroy() before you open another one.',
        )
      }
      // Its session is over, or its frame was taken out of the page.
      shared[ACTIVE]?.destroy()
      this.#surface = new Surface(settings, title)
      shared[ACTIVE] = this.#surface
    } catch (error) {
      refuse(error, options)
    }
  }
}

/** To `onError`; without one it is thrown, for the shop would not hear of it otherwise. */
function refuse(error: unknown, options: SurfaceOptions): void {
  const hear: unknown = Object(options).onError
  if (!(error instanceof MintmarkError) || typeof hear !== 'function') throw error
  tell(error)
  hear(error)
}

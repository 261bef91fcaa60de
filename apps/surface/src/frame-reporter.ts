import type { SurfaceOutcome } from '@mintmark/contract/surface'
import type { FrameInfo, SurfaceView } from '@mintmark/contract/wire/surface'
import { connectFrame, type FrameLink, type FrameOptions, greetFrame, NO_FRAME } from './frame-link.ts'

/** What the embedding page is told of the session; nothing leaves a page that is not embedded. */
interface FrameReporter {
  connect(view: SurfaceView, options: Pick<FrameOptions, 'content' | 'onCancel' | 'onClose'>): void
  view(view: SurfaceView): void
  end(sessionId: string, outcome: SurfaceOutcome, errorCode?: string | null): void
  progress(view: SurfaceView, state: { complete: boolean; brand: string | null }): void
  error(code: string, message: string, retryable: boolean): void
}

export function createFrameReporter({ embedded }: FrameInfo, onHello: FrameOptions['onHello']): FrameReporter {
  let link: FrameLink = embedded ? greetFrame(window.parent, onHello) : NO_FRAME
  let collectedCardId: string | null = null
  const end = (session_id: string, outcome: SurfaceOutcome, error_code: string | null = null) => {
    if (outcome === 'cancelled') link.send({ type: 'cancelled', session_id })
    else link.send({ type: 'completed', session_id, outcome, error_code })
  }
  return {
    end,
    connect({ allowed_origins, session_id }, options) {
      link.end()
      const parent = window.parent
      link = connectFrame({ parent, allowedOrigins: allowed_origins, sessionId: session_id, onHello, ...options })
    },
    view({ step, card, session_id, outcome, failure }) {
      link.send({ type: 'change', step, complete: false, brand: card?.card_brand ?? null })
      const choosing = step === 'card' || step === 'card_cvv' || step === 'card_verification'
      if (card && !choosing && card.card_id !== collectedCardId) {
        collectedCardId = card.card_id
        link.send({ type: 'card_collected', card })
      }
      if (step === 'done') end(session_id, outcome ?? 'failed', failure?.code)
    },
    progress: ({ step }, { complete, brand }) => link.send({ type: 'change', step, complete, brand }),
    error: (code, message, retryable) => link.send({ type: 'error', code, message, retryable }),
  }
}

import type { SurfaceOutcome } from '@mintmark/contract/surface'
import type { SurfaceView } from '@mintmark/contract/wire/surface'
import { connectFrame, type FrameLink, NO_FRAME } from './frame-link.ts'

/** What the embedding page is told of the session; nothing leaves a page that is not embedded. */
interface FrameReporter {
  connect(view: SurfaceView, options: { content: Element; onCancel(): void }): void
  view(view: SurfaceView): void
  end(sessionId: string, outcome: SurfaceOutcome): void
  progress(view: SurfaceView, state: { complete: boolean; brand: string | null }): void
  error(code: string, message: string, retryable: boolean): void
}

export function createFrameReporter(): FrameReporter {
  let link: FrameLink = NO_FRAME
  let collectedCardId: string | null = null
  const end = (session_id: string, outcome: SurfaceOutcome) => {
    link.send(outcome === 'cancelled' ? { type: 'cancelled', session_id } : { type: 'completed', session_id, outcome })
  }
  return {
    end,
    connect({ allowed_origins, session_id }, { content, onCancel }) {
      const parent = window.parent
      link = connectFrame({ parent, allowedOrigins: allowed_origins, sessionId: session_id, content, onCancel })
    },
    view({ step, card, session_id, outcome }) {
      link.send({ type: 'change', step, complete: false, brand: card?.card_brand ?? null })
      const choosing = step === 'card' || step === 'card_cvv' || step === 'card_verification'
      if (card && !choosing && card.card_id !== collectedCardId) {
        collectedCardId = card.card_id
        link.send({ type: 'card_collected', card })
      }
      if (step === 'done') end(session_id, outcome ?? 'failed')
    },
    progress: ({ step }, { complete, brand }) => link.send({ type: 'change', step, complete, brand }),
    error: (code, message, retryable) => link.send({ type: 'error', code, message, retryable }),
  }
}

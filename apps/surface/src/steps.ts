import type { SurfaceStep } from '@mintmark/contract/surface'
import type { Screen, ScreenHost } from './screen.ts'
import { approval } from './screens/approval.tsx'
import { cardCvv } from './screens/card-cvv.tsx'
import { cardVerification } from './screens/card-verification.tsx'
import { chooseCard } from './screens/choose-card.ts'
import { outcomeScreen } from './screens/outcome.tsx'
import { passkeyRegistration } from './screens/passkey-registration.tsx'
import { processing } from './screens/processing.ts'

/** The screens every kind can use. A flow that needs another one replaces it in its own table. */
export const SHARED_STEPS: Record<SurfaceStep, (host: ScreenHost) => Screen> = {
  card: chooseCard,
  card_cvv: cardCvv,
  card_verification: cardVerification,
  passkey_registration: passkeyRegistration,
  approval,
  processing,
  done: ({ view, flow, frame, signed, isOpened }) =>
    outcomeScreen({ outcome: view.outcome ?? 'failed', view, flow, frame, signed, isOpened }),
}

/** Steps with a passkey still to come: a browser without passkeys must not ask for a card first. */
export const NEEDS_PASSKEY: Record<SurfaceStep, boolean> = {
  card: true,
  card_cvv: true,
  card_verification: true,
  passkey_registration: true,
  approval: true,
  processing: false,
  done: false,
}

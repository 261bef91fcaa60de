import type { SurfaceStep } from '@mintmark/contract/surface'
import type { Screen, ScreenHost } from './screen.ts'
import { approval } from './screens/approval.ts'
import { cardCvv } from './screens/card-cvv.ts'
import { cardVerification } from './screens/card-verification.ts'
import { chooseCard } from './screens/choose-card.ts'
import { outcomeScreen } from './screens/outcome.ts'
import { passkeyRegistration } from './screens/passkey-registration.ts'
import { processing } from './screens/processing.ts'

/** The screens every kind can use. A flow that needs another one replaces it in its own table. */
export const SHARED_STEPS: Record<SurfaceStep, (host: ScreenHost) => Screen> = {
  card: chooseCard,
  card_cvv: cardCvv,
  card_verification: cardVerification,
  passkey_registration: passkeyRegistration,
  approval,
  processing,
  done: ({ view, flow, frame }) => outcomeScreen({ outcome: view.outcome ?? 'failed', view, flow, frame }),
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

/** The passkey permission a step's frame must have been given. */
export const FRAME_PERMISSION: Partial<
  Record<SurfaceStep, 'publickey-credentials-get' | 'publickey-credentials-create'>
> = {
  passkey_registration: 'publickey-credentials-create',
  approval: 'publickey-credentials-get',
}

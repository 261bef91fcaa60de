import type { SurfaceStep } from '@mintmark/contract/surface-api'
import type { Desk, Screen } from './screen.ts'
import { approval } from './screens/approval.ts'
import { cardCvv } from './screens/card-cvv.ts'
import { cardVerification } from './screens/card-verification.ts'
import { chooseCard } from './screens/choose-card.ts'
import { outcomeScreen } from './screens/outcome.ts'
import { passkeyRegistration } from './screens/passkey-registration.ts'
import { processing } from './screens/processing.ts'

/** A step without a screen does not compile. */
export const STEP_SCREENS: Record<SurfaceStep, (desk: Desk) => Screen> = {
  card: chooseCard,
  card_cvv: cardCvv,
  card_verification: cardVerification,
  passkey_registration: passkeyRegistration,
  approval,
  processing,
  done: ({ view, frame }) => outcomeScreen({ outcome: view.outcome ?? 'failed', view, embedded: frame.embedded }),
}

/** Steps that need a passkey still to come: where the browser has none, nobody should type a card first. */
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

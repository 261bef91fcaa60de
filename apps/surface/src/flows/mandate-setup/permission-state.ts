import type { MandateSetupView } from '@mintmark/contract/wire/surface'

/** What became of the permission. `ended`: over, and how is not known here. */
export type PermissionState = 'toAllow' | 'inProgress' | 'allowed' | 'notAllowed' | 'ended'

export function permissionState({ step, outcome }: Pick<MandateSetupView, 'step' | 'outcome'>): PermissionState {
  if (step === 'processing') return 'inProgress'
  if (step !== 'done') return 'toAllow'
  if (outcome === null) return 'ended'
  return outcome === 'approved' ? 'allowed' : 'notAllowed'
}

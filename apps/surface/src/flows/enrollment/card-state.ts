import type { EnrollmentView } from '@mintmark/contract/wire/surface'

/** What became of the card. `ended`: over, and how is not known here. */
export type CardState = 'toSave' | 'inProgress' | 'saved' | 'notSaved' | 'ended'

export function cardState({ step, outcome }: Pick<EnrollmentView, 'step' | 'outcome'>): CardState {
  if (step === 'processing') return 'inProgress'
  if (step !== 'done') return 'toSave'
  if (outcome === null) return 'ended'
  return outcome === 'approved' ? 'saved' : 'notSaved'
}

import type { ChargeStatus } from '@mintmark/contract/states'
import type { ConsoleMoment } from '@mintmark/contract/wire/console'
import type { Turn } from '@mintmark/ui/timeline.tsx'

/** How each moment went, where that does not depend on others. */
const TURNS: Record<Exclude<ConsoleMoment['what'], 'event' | 'ended' | 'reported'>, Turn> = {
  created: 'yours',
  approved: 'good',
  number_made: 'good',
  lapsed: 'calm',
  authorized: 'good',
  declined: 'bad',
  captured: 'good',
  reversed: 'calm',
  expired: 'calm',
  refunded: 'calm',
  disputed: 'bad',
}

export function turnOf({ what, deliveries }: Pick<ConsoleMoment, 'what' | 'deliveries'>, status: ChargeStatus): Turn {
  if (what === 'reported') return 'yours'
  if (what === 'ended') return status === 'failed' ? 'bad' : 'good'
  if (what !== 'event') return TURNS[what]
  if (deliveries.some(({ state }) => state === 'failed')) return 'bad'
  return deliveries.length > 0 && deliveries.every(({ state }) => state === 'delivered') ? 'good' : 'calm'
}

import type { SurfaceView } from '@mintmark/contract/wire/surface'

/** Whether a call without an answer took effect after all. */
export function standsElsewhere(before: SurfaceView, now: SurfaceView): boolean {
  const place = ({ step, outcome, card, cards, code }: SurfaceView) =>
    `${step} ${outcome} ${card?.card_id} ${cards.length} ${code?.number}`
  return place(before) !== place(now)
}

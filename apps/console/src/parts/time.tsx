import { sandboxNow } from '../sandbox/clock.ts'
import { exactly, shortly } from '../times.ts'

/** How the reader writes numbers, amounts and times. */
export const locale = navigator.language

/** In a sandbox that was moved, today is another day. */
export const timeText = (iso: string) => shortly(iso, new Date(sandboxNow() ?? Date.now()), locale)
export const exactText = (iso: string) => exactly(iso, locale)

/** A moment in the reader's zone; exact to the second when one points at it. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactText(at)}>
      {timeText(at)}
    </time>
  )
}

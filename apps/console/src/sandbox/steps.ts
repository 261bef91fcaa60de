/** The longest step that the sandbox takes. */
const MAX_SECONDS = 315_360_000

/** The seconds that lead just past a moment; undefined: none do. */
export function secondsPast(iso: string, now: number): number | undefined {
  const seconds = Math.floor((Date.parse(iso) - now) / 1000) + 1
  return seconds >= 1 && seconds <= MAX_SECONDS ? seconds : undefined
}

/**
 * The origins a status may be entered from: what a transition's UPDATE compares with. A transition nobody declared has
 * no origin, so its UPDATE can never match.
 */
export function originsOf<S extends string>(transitions: Record<S, readonly S[]>, target: S): S[] {
  return (Object.keys(transitions) as S[]).filter((from) => transitions[from].includes(target))
}

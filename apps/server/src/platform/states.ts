/** Which state may follow which; a terminal state has none. */
export type Transitions<State extends string> = Record<State, readonly State[]>

/**
 * The states that a state may be entered from. A transition that the table does not have has no origin, so an UPDATE
 * that compares with them can never match.
 */
export function originsOf<State extends string>(transitions: Transitions<State>, target: State): State[] {
  return (Object.keys(transitions) as State[]).filter((from) => transitions[from].includes(target))
}

/**
 * The origins of a transition as a list in SQL, for `status in (…)`: the predicate of its UPDATE comes from the table.
 * Part of the text instead of a parameter, so that the planner knows them and can use an index over open work. `only`
 * narrows the origins, and must name moves that the table has.
 */
export function originList<State extends string>(
  transitions: Transitions<State>,
  target: State,
  only?: readonly State[],
): string {
  const origins = originsOf(transitions, target)
  const stray = only?.filter((state) => !origins.includes(state)) ?? []
  if (stray.length > 0 || origins.length === 0) throw new Error(`No transition leads from ${stray} to ${target}.`)
  return (only ?? origins).map((state) => `'${state}'`).join(', ')
}

/** What became of the money. `given_back`: a number was made, and nothing was paid with it. */
export const ACTIVITY_OUTCOMES = ['paid', 'held', 'refused', 'given_back'] as const
export type ActivityOutcome = (typeof ACTIVITY_OUTCOMES)[number]

/** What a restore brings back that may have ended since. */
export const SUBJECT_KINDS = ['charge', 'mandate', 'card'] as const
export type SubjectKind = (typeof SUBJECT_KINDS)[number]

/**
 * What the network said: it is good there; it has ended, and has ended here; it was spent, and waits for its report;
 * the network knows of none. `gone`: a card that had ended here before the network was asked.
 */
export const WORDS = ['active', 'ended', 'used', 'not_found', 'gone'] as const
export type Word = (typeof WORDS)[number]

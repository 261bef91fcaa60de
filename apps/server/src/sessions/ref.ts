import type { RowName } from './fragments.ts'

// In which row a session is (`fragments.ts`).

/** What a token says of its session. */
export interface TokenKind {
  isPurchase: boolean
  enrolls: boolean
}

/** The row of a session that a token names. */
export function rowOf({ isPurchase, enrolls }: TokenKind): RowName {
  if (enrolls) return 'enrollment'
  return isPurchase ? 'charge' : 'mandate'
}

const ROWS = { payment: 'charge', mandate_setup: 'mandate', enrollment: 'enrollment' } as const

/** The same of a session that was read. */
export function rowOfKind<Kind extends keyof typeof ROWS>({ kind }: { kind: Kind }): (typeof ROWS)[Kind] {
  return ROWS[kind]
}

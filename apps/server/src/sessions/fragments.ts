// A session is a part of the row of what it is for (ADR 0080): that of a purchase is in its charge, that of a setup in
// its mandate, and that of an enrollment in the enrollment. What is written of a session is the same in all three, so
// the statements are written once and declared for each.

/** In which row a session is. */
export type RowName = 'charge' | 'mandate' | 'enrollment'

/** Where sessions are. */
export interface SessionRow {
  name: RowName
  /** What its statements are named after. */
  feature: 'payments' | 'setups' | 'enrollments'
  table: string
  /** The column with the id of the session. */
  key: string
  /**
   * How the caller's is found. A charge or a mandate without a launch secret has no session, or none any more; an
   * enrollment is there as long as its session.
   */
  place: `merchant_id = $merchantId and ${string} = $sessionId${string}`
  /** Always true of one, and said by lists alone (`due-indexes.test.ts`): no plan finds one session by its end. */
  listed: string
}

export const IN_CHARGE: SessionRow = {
  name: 'charge',
  feature: 'payments',
  table: 'charges',
  key: 'opened_by',
  place: 'merchant_id = $merchantId and opened_by = $sessionId and launch_hash is not null',
  listed: 'expires_at is not null and amount_minor > 0',
}
export const IN_MANDATE: SessionRow = {
  name: 'mandate',
  feature: 'setups',
  table: 'mandates',
  key: 'session_id',
  place: 'merchant_id = $merchantId and session_id = $sessionId and launch_hash is not null',
  listed: 'expires_at is not null and approved_minor > 0',
}
export const IN_ENROLLMENT: SessionRow = {
  name: 'enrollment',
  feature: 'enrollments',
  table: 'enrollments',
  key: 'id',
  place: 'merchant_id = $merchantId and id = $sessionId',
  listed: 'session_version > 0',
}

/** What declares a statement, done for all three. */
export function inEach<Declared>(declare: (row: SessionRow) => Declared) {
  return { ...inBoth(declare), enrollment: declare(IN_ENROLLMENT) }
}

/** The same of sessions that order something: an enrollment has another way, or none. */
export function inBoth<Declared>(declare: (row: SessionRow) => Declared) {
  return { charge: declare(IN_CHARGE), mandate: declare(IN_MANDATE) }
}

import type { Currency } from '@mintmark/contract'
import type { Pool } from 'pg'
import type { Queryable } from '../../db/statement.ts'
import type { Clock } from '../../platform/clock.ts'
import type { NetworkAnswer } from '../port.ts'
import type { CardholderFacts, StripeApi } from './api.ts'

/** What every part of the adapter works with. */
export interface StripeDeps {
  pool: Pool
  clock: Clock
  api: StripeApi
  cardholder: CardholderFacts
  /** The one currency that the account issues cards in. */
  currency: Currency
}

/** For a change that is one statement: what an issuer knows of is no event of ours, and has keys of its own. */
export function single({ pool }: Pick<StripeDeps, 'pool'>): Queryable {
  return { query: pool.query.bind(pool) } as Queryable
}

/** Refused without a reason of the port: a mistake of ours or of the account. It says nothing of the card. */
export function unclear<T>({ status, code }: { status: number; code: string }): NetworkAnswer<T> {
  return { outcome: 'unknown', cause: `stripe refused: ${status} ${code}` }
}

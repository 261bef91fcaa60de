import { createHash } from 'node:crypto'
import { uuidFrom } from '../platform/ids.ts'
import type { SharedAccount } from './ref.ts'

/** Beyond it no account goes, in either direction: far enough from the end of bigint that no amount leads there. */
export const MAX_MINOR = 9_000_000_000_000_000_000n

/**
 * How many parts a shared account has. A transfer holds the row of its part until its commit, a millisecond or two: with one part all
 * orders of a shop would take turns. There may be more one day, never fewer.
 */
export const PARTS = 16

/** The part that a transfer uses, by its id, whose last digits are random. */
export function partOf(transferId: string): number {
  return Number.parseInt(transferId.slice(-4), 16) % PARTS
}

/** The id of a part: made of what it is, so that it is known without a look. */
export function partId({ merchantId, kind, holderId, currency }: SharedAccount, part: number): string {
  return uuidFrom(createHash('sha256').update([merchantId, kind, holderId, currency, part].join(' ')).digest())
}

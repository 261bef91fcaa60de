import type { Currency } from '@mintmark/contract'
import type { Pool } from 'pg'
import { amountFromMinor } from '../platform/money.ts'
import { isUntouched, type RowSeals } from '../platform/row-seals.ts'
import type { AccountKind } from './ref.ts'
import { sealedAccount, sealedTransfer } from './seal.ts'
import * as store from './verify-store.ts'

/** Something in the books that cannot be. */
export interface Problem {
  merchantId: string
  /** A row, in words. */
  where: string
  /** What is wrong with it. */
  what: string
}

/** What another feature knows of transfers: it looks at one merchant. */
export type Check = (pool: Pool, merchantId: string) => AsyncIterable<Problem>

export interface VerifyDeps {
  pool: Pool
  /** Null: whoever asks has no key, and seals are not looked at. */
  seals: RowSeals | null
  /** Beside what the ledger knows by itself. */
  checks: readonly Check[]
}

type Balances = Partial<Record<Currency, Partial<Record<AccountKind, string>>>>

export interface Report {
  merchants: number
  accounts: number
  transfers: number
  entries: number
  /** All accounts together. Those of a currency sum to zero. */
  balances: Balances
  problemCount: number
  /** The first hundred. */
  problems: Problem[]
}

const PAGE = 1_000
const MOST_SHOWN = 100
const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * Sums everything: each balance is the sum of its entries, the entries of each transfer sum to zero, nothing is without its other
 * half, no wallet is below zero, and each account and transfer is one that this program has made. It may run at any time: it locks nothing, and what it compares is of one moment.
 */
export async function verify({ pool, seals, checks }: VerifyDeps): Promise<Report> {
  const count = { merchants: 0, accounts: 0, transfers: 0, entries: 0 }
  const totals = new Map<Currency, Map<AccountKind, bigint>>()
  const books: Books = { pool, seals, count, totals }
  const problems: Problem[] = []
  let problemCount = 0
  for (let merchantId = await nextMerchant(pool, ''); merchantId; merchantId = await nextMerchant(pool, merchantId)) {
    count.merchants += 1
    for (const check of [accounts, transfers, entries, ...checks.map(apart)]) {
      for await (const problem of check(books, merchantId)) {
        problemCount += 1
        if (problems.length < MOST_SHOWN) problems.push(problem)
      }
    }
  }
  return { ...count, balances: shown(totals), problemCount, problems }
}

interface Books {
  pool: Pool
  seals: RowSeals | null
  count: Pick<Report, 'merchants' | 'accounts' | 'transfers' | 'entries'>
  totals: Map<Currency, Map<AccountKind, bigint>>
}

const apart =
  (check: Check) =>
  ({ pool }: Books, merchantId: string) =>
    check(pool, merchantId)

async function nextMerchant(pool: Pool, after: string): Promise<string | undefined> {
  return (await store.findNextMerchant(pool, { after }))?.merchantId
}

async function* accounts({ pool, seals, count, totals }: Books, merchantId: string): AsyncGenerator<Problem> {
  for (let after = FIRST, isLast = false; !isLast; ) {
    const page = await store.listAccountSums(pool, { merchantId, after, limit: PAGE })
    for (const account of page) {
      const { id, kind, currency, mayBeNegative, balanceMinor, entriesMinor, agrees } = account
      const where = `account ${id} (${kind}, ${currency})`
      if (!agrees) yield { merchantId, where, what: `has ${balanceMinor}, and its entries sum to ${entriesMinor}` }
      if (!mayBeNegative && balanceMinor < 0n) yield { merchantId, where, what: `is below zero: ${balanceMinor}` }
      if (
        seals !== null &&
        !isUntouched(() => seals.check(sealedAccount({ merchantId, accountId: id, ...account }), account.seal))
      ) {
        yield { merchantId, where, what: 'is not what it was opened as, or not the customer’s whose it was' }
      }
      const ofCurrency = totals.get(currency) ?? new Map<AccountKind, bigint>()
      totals.set(currency, ofCurrency.set(kind, (ofCurrency.get(kind) ?? 0n) + balanceMinor))
    }
    count.accounts += page.length
    after = page.at(-1)?.id ?? after
    isLast = page.length < PAGE
  }
}

async function* transfers({ pool, seals, count }: Books, merchantId: string): AsyncGenerator<Problem> {
  for (let after = FIRST, afterCurrency = '', isLast = false; !isLast; ) {
    const page = await store.listTransferSums(pool, { merchantId, after, afterCurrency, limit: PAGE })
    for (const row of page) {
      const what = problemOf(row) ?? (seals === null || isSealed(seals, merchantId, row) ? null : UNSEALED)
      if (what !== null) yield { merchantId, where: `transfer ${row.id} (${row.currency})`, what }
    }
    const last = page.at(-1)
    after = last?.id ?? after
    afterCurrency = last?.currency ?? afterCurrency
    count.transfers += page.length
    isLast = page.length < PAGE
  }
}

function problemOf({ agrees, count, totalMinor }: store.TransferSums): string | null {
  if (agrees) return null
  return count < 2 ? `has ${count} entries` : `has entries that sum to ${totalMinor}`
}

const UNSEALED = 'is not one that this program has made: its seal does not fit what it moves'

/** Whether its two entries are those that it was made with; the alarm of one that somebody has made up is in the log as well. */
function isSealed(seals: RowSeals, merchantId: string, row: store.TransferSums): boolean {
  const { id: transferId, currency, purpose, reference, seal, count, payerId, payeeId, amountMinor } = row
  if (count !== 2 || payerId === null || payeeId === null || amountMinor === null) return false
  const moved = { merchantId, transferId, currency, purpose, reference, payerId, payeeId, amountMinor }
  return isUntouched(() => seals.check(sealedTransfer(moved), seal))
}

async function* entries({ pool, count }: Books, merchantId: string): AsyncGenerator<Problem> {
  for (let after = FIRST, afterAccountId = FIRST, isLast = false; !isLast; ) {
    const page = await store.listEntryOwners(pool, { merchantId, after, afterAccountId, limit: PAGE })
    for (const { transferId, accountId, hasTransfer, hasAccount } of page) {
      const where = `entry of transfer ${transferId} and account ${accountId}`
      if (!hasTransfer) yield { merchantId, where, what: 'has no transfer in its currency' }
      if (!hasAccount) yield { merchantId, where, what: 'has no account in its currency' }
    }
    const last = page.at(-1)
    after = last?.transferId ?? after
    afterAccountId = last?.accountId ?? afterAccountId
    count.entries += last?.place ?? 0
    isLast = (last?.place ?? 0) < PAGE
  }
}

function shown(totals: Books['totals']): Balances {
  return Object.fromEntries(
    [...totals].map(([currency, kinds]) => [
      currency,
      Object.fromEntries([...kinds].map(([kind, minor]) => [kind, signed(minor)])),
    ]),
  )
}

function signed(minor: bigint): string {
  return minor < 0n ? `-${amountFromMinor(-minor)}` : amountFromMinor(minor)
}

import type { Currency } from '@mintmark/contract'
import type { Pool } from 'pg'
import { inSnapshot } from '../db/snapshot.ts'
import type { Queryable } from '../db/statement.ts'
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

/** One look, of one moment, however many statements it has. */
export type Read = <T>(look: (on: Queryable) => Promise<T>) => Promise<T>

/** What another feature knows of transfers: it looks at one merchant, at a page at a time. */
export type Check = (read: Read, merchantId: string) => AsyncIterable<Problem>

export interface VerifyDeps {
  pool: Pool
  /** Null: the caller has no key, and seals are not looked at. */
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
/** Entries of one account in one statement. A page of accounts sums a million at most. */
const MAX_ENTRIES = 1_000
const MAX_SHOWN = 100
const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * Sums everything: each balance is the sum of its entries, the entries of each transfer sum to zero, nothing is without its other
 * half, no wallet is below zero, and each account and transfer is one that this program has made. It may run at any time: it locks
 * nothing. What is compared is of one moment, and so are the balances that are shown; two pages need not be, because no row of the books
 * but a balance ever changes. One moment for all of it would keep every version of the balances that all payments write, until the end.
 */
export async function verify({ pool, seals, checks }: VerifyDeps): Promise<Report> {
  const read: Read = (look) =>
    inSnapshot(pool, async (on) => {
      await store.readInOrder(on)
      return look(on)
    })
  const balances = shown(await read(sumBalances))
  const count = { merchants: 0, accounts: 0, transfers: 0, entries: 0 }
  const books: Books = { read, seals, count }
  const problems: Problem[] = []
  let problemCount = 0
  const next = (after: string) => read((on) => nextMerchant(on, after))
  for (let merchantId = await next(''); merchantId; merchantId = await next(merchantId)) {
    count.merchants += 1
    for (const check of [accounts, transfers, entries, ...checks.map(apart)]) {
      for await (const problem of check(books, merchantId)) {
        problemCount += 1
        if (problems.length < MAX_SHOWN) problems.push(problem)
      }
    }
  }
  return { ...count, balances, problemCount, problems }
}

type Totals = Map<Currency, Map<AccountKind, bigint>>

/** All balances by currency and kind. Without their entries: some seconds for a million accounts. */
async function sumBalances(on: Queryable): Promise<Totals> {
  const totals: Totals = new Map()
  for (let merchantId = await nextMerchant(on, ''); merchantId; merchantId = await nextMerchant(on, merchantId)) {
    for (let after: string | undefined = FIRST; after !== undefined; ) {
      const page: store.Balance[] = await store.listBalances(on, { merchantId, after, limit: PAGE })
      for (const { kind, currency, balanceMinor } of page) {
        const ofCurrency = totals.get(currency) ?? new Map<AccountKind, bigint>()
        totals.set(currency, ofCurrency.set(kind, (ofCurrency.get(kind) ?? 0n) + balanceMinor))
      }
      after = page.length < PAGE ? undefined : page.at(-1)?.id
    }
  }
  return totals
}

interface Books {
  read: Read
  seals: RowSeals | null
  count: Pick<Report, 'merchants' | 'accounts' | 'transfers' | 'entries'>
}

const apart =
  (check: Check) =>
  ({ read }: Books, merchantId: string) =>
    check(read, merchantId)

async function nextMerchant(on: Queryable, after: string): Promise<string | undefined> {
  return (await store.findNextMerchant(on, { after }))?.merchantId
}

async function* accounts({ read, seals, count }: Books, merchantId: string): AsyncGenerator<Problem> {
  for (let after = FIRST, isLast = false; !isLast; ) {
    const page = await read((on) => accountPage(on, merchantId, after))
    for (const { entriesMinor, ...account } of page) {
      const { id, kind, currency, mayBeNegative, balanceMinor } = account
      const where = `account ${id} (${kind}, ${currency})`
      if (entriesMinor !== balanceMinor)
        yield { merchantId, where, what: `has ${balanceMinor}, and its entries sum to ${entriesMinor}` }
      if (!mayBeNegative && balanceMinor < 0n) yield { merchantId, where, what: `is below zero: ${balanceMinor}` }
      if (
        seals !== null &&
        !isUntouched(() => seals.check(sealedAccount({ merchantId, accountId: id, ...account }), account.seal))
      ) {
        yield { merchantId, where, what: 'is not what it was opened as, or not the customer’s whose it was' }
      }
    }
    count.accounts += page.length
    after = page.at(-1)?.id ?? after
    isLast = page.length < PAGE
  }
}

/** Accounts, each with what all of its entries sum to at that moment. */
async function accountPage(on: Queryable, merchantId: string, after: string) {
  const page = []
  for (const account of await store.listAccountSums(on, { merchantId, after, limit: PAGE, most: MAX_ENTRIES })) {
    page.push({ ...account, entriesMinor: await sumOf(on, merchantId, account) })
  }
  return page
}

/** What all entries of an account sum to, where its page has summed the first of them. */
async function sumOf(
  on: Queryable,
  merchantId: string,
  { id, count, entriesMinor }: store.AccountSums,
): Promise<bigint> {
  if (count < MAX_ENTRIES) return BigInt(entriesMinor)
  let total = 0n
  for (let after: string | null = FIRST; after !== null; ) {
    const part = await store.sumEntries(on, { merchantId, accountId: id, after, limit: MAX_ENTRIES })
    total += BigInt(part?.totalMinor ?? 0)
    after = part?.count === MAX_ENTRIES ? part.lastId : null
  }
  return total
}

async function* transfers({ read, seals, count }: Books, merchantId: string): AsyncGenerator<Problem> {
  for (let after = FIRST, afterCurrency = '', isLast = false; !isLast; ) {
    const page = await read((on) => store.listTransferSums(on, { merchantId, after, afterCurrency, limit: PAGE }))
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

/** Whether its two entries are those that it was made with; the alarm of one that an editor of the database has made up is in the log as well. */
function isSealed(seals: RowSeals, merchantId: string, row: store.TransferSums): boolean {
  const { id: transferId, currency, purpose, reference, seal, count, payerId, payeeId, amountMinor } = row
  if (count !== 2 || payerId === null || payeeId === null || amountMinor === null) return false
  const moved = { merchantId, transferId, currency, purpose, reference, payerId, payeeId, amountMinor }
  return isUntouched(() => seals.check(sealedTransfer(moved), seal))
}

async function* entries({ read, count }: Books, merchantId: string): AsyncGenerator<Problem> {
  for (let after = FIRST, afterAccountId = FIRST, isLast = false; !isLast; ) {
    const page = await read((on) => store.listEntryOwners(on, { merchantId, after, afterAccountId, limit: PAGE }))
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

function shown(totals: Totals): Balances {
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

import type { Currency } from '@mintmark/contract'
import type { Change } from '../db/command.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import * as store from './accounts-store.ts'
import { type SealedAccount, sealedAccount } from './accounts-store.ts'
import type { AccountKind, AccountRef, SharedAccount } from './ref.ts'
import { partId } from './rules.ts'

export interface AccountDeps {
  seals: RowSeals
}

interface NewAccount extends AccountRef {
  kind: AccountKind
  holderId: string | null
  currency: Currency
}

/** A new account, with nothing in it. False: its holder has one of this kind and currency. */
export async function openAccount(deps: AccountDeps, change: Change, account: NewAccount): Promise<boolean> {
  return insert(deps, change, { ...account, part: 0, mayBeNegative: account.kind !== 'wallet' })
}

/** One part of a shared account is there from now on. */
export async function openPart(deps: AccountDeps, change: Change, account: SharedAccount, part: number): Promise<void> {
  const { merchantId, kind, holderId, currency } = account
  const accountId = partId(account, part)
  await insert(deps, change, { merchantId, accountId, kind, holderId, currency, part, mayBeNegative: true })
}

async function insert({ seals }: AccountDeps, { tx, at }: Change, account: SealedAccount): Promise<boolean> {
  return (await store.insertAccount(tx, { ...account, seal: seals.seal(sealedAccount(account)), at })) === 1
}

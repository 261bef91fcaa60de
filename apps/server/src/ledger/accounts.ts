import type { Currency } from '@mintmark/contract'
import type { Change } from '../db/command.ts'
import * as store from './accounts-store.ts'
import type { AccountKind, AccountRef, SharedAccount } from './ref.ts'
import { partId } from './rules.ts'

interface NewAccount extends AccountRef {
  kind: AccountKind
  holderId: string | null
  currency: Currency
}

/** A new account, with nothing in it. False: its holder has one of this kind and currency. */
export async function openAccount({ tx, at }: Change, account: NewAccount): Promise<boolean> {
  return (await store.insertAccount(tx, { ...account, part: 0, mayBeNegative: account.kind !== 'wallet', at })) === 1
}

/** One part of a shared account is there from now on. */
export async function openPart({ tx, at }: Change, account: SharedAccount, part: number): Promise<void> {
  await store.insertAccount(tx, { ...account, accountId: partId(account, part), part, mayBeNegative: true, at })
}

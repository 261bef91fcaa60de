import type { Currency } from '@mintmark/contract'
import type { Change } from '../db/command.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import { openPart } from './accounts.ts'
import type { Purpose, SharedAccount } from './ref.ts'
import { partId, partOf } from './rules.ts'
import { insertTransfer, sealedTransfer, type VERDICTS } from './transfer-store.ts'

/** One account, or a shared one. */
type Party = { accountId: string } | Pick<SharedAccount, 'kind' | 'holderId'>

export interface NewTransfer {
  merchantId: string
  /** A new UUID. */
  transferId: string
  purpose: Purpose
  /** What the transfer is made for. For the same purpose there is one transfer, however often it is asked for. */
  reference: string
  from: Party
  to: Party
  /** Above zero. */
  amountMinor: bigint
  currency: Currency
}

export interface TransferDeps {
  seals: RowSeals
}

type Verdict = (typeof VERDICTS)[number]

export type Transferred =
  | { state: 'done'; fromMinor: bigint; toMinor: bigint }
  /**
   * Nothing was moved. `repeated`: the reference has its transfer. `over_limit`: an account would hold more than one
   * can.
   */
  | { state: Exclude<Verdict, 'done'> }

/**
 * Moves an amount from one account to another, in the caller's transaction: both balances and two entries, or nothing.
 * An account that may not be negative never is, also with other transfers at the same time. Locks the accounts until
 * the transaction ends.
 */
export async function transfer(
  { seals }: TransferDeps,
  change: Change,
  { from, to, ...transfer }: NewTransfer,
): Promise<Transferred> {
  if (transfer.amountMinor <= 0n) throw new RangeError('A transfer moves an amount above zero.')
  const parties = { payerId: accountIdOf(transfer, from), payeeId: accountIdOf(transfer, to) }
  if (parties.payerId === parties.payeeId) throw new RangeError('A transfer leads from one account to another.')
  const seal = seals.seal(sealedTransfer({ ...transfer, ...parties }))
  const values = { ...transfer, ...parties, seal, at: change.at }
  let done = await insertTransfer(change.tx, values)
  if (done?.verdict === 'no_account') {
    // The first transfer of this part opens it; a wallet that is not there stays so.
    for (const party of [from, to])
      if ('kind' in party) await openPart({ seals }, change, { ...transfer, ...party }, part(transfer))
    done = await insertTransfer(change.tx, values)
  }
  if (done === undefined) throw new Error('A transfer was not judged.')
  const { verdict, payerMinor, payeeMinor } = done
  if (verdict !== 'done') return { state: verdict }
  if (payerMinor === null || payeeMinor === null) throw new Error('A transfer did not move both balances.')
  return { state: 'done', fromMinor: payerMinor, toMinor: payeeMinor }
}

type Named = Pick<NewTransfer, 'merchantId' | 'transferId' | 'currency'>

function accountIdOf(transfer: Named, party: Party): string {
  return 'accountId' in party ? party.accountId : partId({ ...transfer, ...party }, part(transfer))
}

function part({ transferId }: Named): number {
  return partOf(transferId)
}

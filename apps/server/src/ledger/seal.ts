import type { SealedRow } from '../platform/row-seals.ts'

/** All that a transfer does: between whom, how much, and why. */
export interface SealedTransfer {
  merchantId: string
  transferId: string
  currency: string
  purpose: string
  reference: string
  payerId: string
  payeeId: string
  amountMinor: bigint
}

export function sealedTransfer({ merchantId, transferId: id, ...transfer }: SealedTransfer): SealedRow {
  const { currency, purpose, reference, payerId, payeeId, amountMinor } = transfer
  const parts = [currency, purpose, reference.toLowerCase(), payerId.toLowerCase(), payeeId.toLowerCase(), amountMinor]
  return { table: 'ledger_transfers', merchantId, id: id.toLowerCase(), parts }
}

/** What an account is, and whose. What is in it follows from the transfers. */
export interface SealedAccount {
  merchantId: string
  accountId: string
  kind: string
  holderId: string | null
  part: number
  currency: string
  mayBeNegative: boolean
}

export function sealedAccount({ merchantId, accountId: id, ...account }: SealedAccount): SealedRow {
  const { kind, holderId, part, currency, mayBeNegative } = account
  const parts = [kind, holderId?.toLowerCase() ?? null, part, currency, Number(mayBeNegative)]
  return { table: 'ledger_accounts', merchantId, id: id.toLowerCase(), parts }
}

import type { Environment } from '@mintmark/contract'
import { type KeyedRequest, type RespondDeps, respondOnce, type StoredResponse } from '../../db/respond-once.ts'
import { MAX_IN_WALLET_MINOR } from '../../ledger/ref.ts'
import { type TransferDeps, transfer } from '../../ledger/service.ts'
import { fieldErrors } from '../../platform/errors.ts'
import { newUuid } from '../../platform/ids.ts'
import { amountFromMinor, fractionProblem, type Money } from '../../platform/money.ts'
import { customerRejected } from '../customers/errors.ts'
import { sandboxOnly } from '../errors.ts'
import { getWallet } from './find.ts'
import type { WalletRef } from './ref.ts'

export interface DepositDeps extends RespondDeps, TransferDeps {
  environment: Environment
}

/**
 * Puts money that has no payer into a wallet: in the sandbox only, else `OPERATION_NOT_ALLOWED`. Returns what is in it then.
 * In production money comes by another way, which this service does not have yet.
 */
export async function deposit(
  deps: DepositDeps,
  ref: WalletRef,
  amountMinor: bigint,
  request: KeyedRequest<Money>,
): Promise<StoredResponse> {
  if (deps.environment !== 'sandbox') throw sandboxOnly()
  const { merchantId } = ref
  const declaration = { name: 'wallets.deposit', silent: 'wallet' } as const
  return respondOnce(deps, declaration, { merchantId, request }, async (change) => {
    const { id, currency, customerStatus } = await getWallet(change.tx, ref)
    if (customerStatus === 'rejected') throw customerRejected()
    const problem = fractionProblem(amountMinor, currency)
    if (problem !== null) throw fieldErrors({ amount: problem })
    // The caller's key is stored in this transaction, and is the reason why it happens once.
    const [transferId, purpose] = [newUuid(), 'deposit'] as const
    const ends = { from: { kind: 'deposits', holderId: null }, to: { accountId: id } } as const
    const ids = { merchantId, transferId, reference: transferId }
    const done = await transfer(deps, change, { ...ids, ...ends, purpose, amountMinor, currency })
    if (done.state === 'over_limit') throw fieldErrors({ amount: TOO_MUCH })
    if (done.state !== 'done') throw new Error(`A deposit is not possible: ${done.state}.`)
    return { currency, minor: done.toMinor }
  })
}

const TOO_MUCH = `would take the balance above ${amountFromMinor(MAX_IN_WALLET_MINOR)}, which is the most that a wallet holds`

import type { CustomerRef } from '../customers/service.ts'
import type { Change } from '../db/command.ts'
import type { OnNumbered } from '../events/service.ts'
import { bound } from '../platform/bound.ts'
import type { ReceiptDeps } from './deps.ts'
import { publishedKeys, rotateKey } from './keys.ts'
import { fileOfChain, fileOfOne, list } from './read.ts'
import { RECEIPT_EVENTS } from './rules.ts'
import * as store from './store.ts'

export { sealedPrivateKeys } from './keys.ts'
export { readReceipt, type Stored } from './read.ts'

/** Notes the events of one account that receipts are of, in the transaction that numbers them. */
export function notingEvents(operatorMerchantId: string): OnNumbered {
  return async (tx, { merchantId, after, upTo }) => {
    if (merchantId !== operatorMerchantId) return
    await store.insertEventActs(tx, { merchantId, after, upTo, types: RECEIPT_EVENTS })
  }
}

/** The receipts of an owner who is forgotten go, in the transaction of that. What is noted is dropped by its writer. */
export async function forgetReceipts({ tx }: Pick<Change, 'tx'>, owner: CustomerRef): Promise<void> {
  await store.deleteReceiptsOfOwner(tx, owner)
}

/** The writer reads passkeys, whose library no verb of the operator needs: it is loaded by its first run. */
const writeDue = async (deps: ReceiptDeps) => (await import('./write.ts')).writeDue(deps)

/** What owners and their agents did, signed: written behind the acts, read by their owner alone. */
export const createReceiptService = (deps: ReceiptDeps) =>
  bound(deps, { writeDue, list, fileOfOne, fileOfChain, publishedKeys, rotateKey })
export type ReceiptService = ReturnType<typeof createReceiptService>

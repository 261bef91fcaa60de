import { type CommandDeps, command } from '../../db/command.ts'
import { OPERATOR } from '../../passkeys/ref.ts'
import { bound } from '../../platform/bound.ts'
import { uuidOf } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { customerNotFound } from './errors.ts'
import type { WalletCustomerRef } from './ref.ts'
import * as store from './store.ts'

interface ErasureDeps extends CommandDeps {
  log: Log
}

/** What an operator does to the record of a customer of the wallet API. */
export const createWalletErasure = (deps: ErasureDeps) => bound(deps, { erase })

const ERASED = 'erased'
/** No mailbox has it (RFC 2606), and each customer who was erased has another one. */
const erasedEmail = (customerId: string) => `${customerId}@erased.invalid`

/**
 * Forgets who a customer is and where they live. Id, status, wallets, carts and orders stay: they are in the books. The addresses come
 * second, because one that is being added keeps the row of its customer until it is there.
 */
export async function erase(deps: ErasureDeps, ref: WalletCustomerRef): Promise<WalletCustomerRef> {
  const { merchantId } = ref
  const customerId = uuidOf(ref.customerId)
  if (customerId === undefined) throw customerNotFound()
  await command(deps, { name: 'wallets.erase_customer', silent: 'wallet' }, async ({ tx, at }) => {
    const left = { merchantId, customerId, erased: ERASED, at }
    const found = await store.eraseCustomer(tx, { ...left, email: erasedEmail(customerId) })
    if (found === undefined) throw customerNotFound()
    await store.eraseAddresses(tx, left)
  })
  const ids = { merchant_id: merchantId, customer_id: customerId }
  deps.log.warn('the personal data of a customer were erased', { audit: 'customer_erased', actor: OPERATOR, ...ids })
  return { merchantId, customerId }
}

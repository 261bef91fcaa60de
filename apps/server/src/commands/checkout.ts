import type { Command } from 'commander'
import type { PurchaseService } from '../checkout/purchases/service.ts'
import { among, needed } from './usage.ts'

type Run = (work: (app: { purchases: PurchaseService }) => Promise<unknown>) => Promise<void>

interface Options {
  merchant?: string
  transaction?: string
  outcome?: 'paid' | 'failed'
  orderId?: string
}

/** `checkout …`: purchases that the service makes at shops. */
export function addCheckoutCommands(checkout: Command, run: Run): void {
  checkout
    .command('list')
    .description('purchases that need a person, or whose payment their shop is silent about; who waits longest first')
    .action(() => run(({ purchases }) => purchases.unresolved()))
  checkout
    .command('resolve')
    .description('say how a purchase ended that needs a person, or whose payment its shop is silent about')
    .option('--merchant <id>', 'the merchant account whose customer it is for; required')
    .option('--transaction <id>', 'the transaction (txn_…); required')
    .option('--outcome <outcome>', 'paid or failed, as the shop or the acquirer told you; required', OUTCOME)
    .option('--order-id <id>', "of a paid one: the shop's order")
    .action(({ merchant, transaction, outcome, orderId }: Options) => {
      const purchase = { merchantId: needed(merchant, '--merchant'), chargeId: needed(transaction, '--transaction') }
      const resolution = { outcome: needed(outcome, '--outcome'), orderId: orderId ?? null }
      return run(({ purchases }) => purchases.resolve(purchase, resolution))
    })
}

const OUTCOME = among('--outcome', ['paid', 'failed'])

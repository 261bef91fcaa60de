import type { Command } from 'commander'
import type { Operated } from '../compose/operated.ts'
import { noteErasure } from './erasures.ts'
import { needed } from './usage.ts'

type Run = (
  work: (app: Pick<Operated, 'customers' | 'walletErasure' | 'cardOperations'>) => Promise<unknown>,
) => Promise<void>

/** `customer …`: people, as their merchant knows them. */
export function addCustomerCommands(customer: Command, run: Run): void {
  customer
    .command('cards')
    .description('the cards of a customer, and what was said about keeping each: version of the words, and answer')
    .argument('<MERCHANT>', 'the merchant')
    .argument('<CUSTOMER>', "the merchant's user_id for the customer, or the cus_ id")
    .action((merchant: string, customer: string) => {
      const whose = { merchantId: needed(merchant, 'MERCHANT'), customer: needed(customer, 'CUSTOMER') }
      return run(({ cardOperations }) => cardOperations.told(whose))
    })
  customer
    .command('erase')
    .description('forget who a customer is, for good; amounts and the evidence of approvals stay')
    .argument('<MERCHANT>', 'the merchant')
    .argument('<CUSTOMER>', "the merchant's user_id for the customer, or the cus_ id; with --wallet, the id")
    .option('--wallet', 'a customer of the wallet API')
    .option('--list <FILE>', 'note it in this file, kept apart from backups, for restored open --erased')
    .action((merchant: string, customer: string, { wallet = false, list }: { wallet?: boolean; list?: string }) => {
      const [merchantId, name] = [needed(merchant, 'MERCHANT'), needed(customer, 'CUSTOMER')]
      return run(async ({ customers, walletErasure }) => {
        const erased = await (wallet
          ? walletErasure.erase({ merchantId, customerId: name })
          : customers.erase(merchantId, name))
        const ids = { merchant_id: erased.merchantId, customer_id: erased.customerId }
        if (list !== undefined) await noteErasure(list, ids, new Date())
        return erased
      })
    })
}

import { limit } from '../../http/limit.ts'

/** Each of them makes us ask a server that is not ours. */
export const perShopping = limit('shopping', {
  points: 1_200,
  windowSeconds: 60,
  by: ({ merchantId }: { merchantId: string }) => merchantId,
  withoutStore: 'pass',
  meaning: 'Searches, products and quotes: each asks a merchant, a search without `merchant` all of them.',
  countedBy: 'merchant',
})

import { randomUUID } from 'node:crypto'
import type { ChargeRequest } from '@mintmark/node'
import { needed } from '../usage.ts'
import type { Line } from './purchase.ts'

/** One charge, in the words of the command. */
export interface ChargeBodyWords {
  amount?: string
  reference?: string
  line?: Line[]
  merchantName?: string
  merchantUrl?: string
  merchantCountry?: string
  checkoutSession?: string
}

/** As the API wants it, and always with a reference. */
export function chargeBody(words: ChargeBodyWords): ChargeRequest & { reference: string } {
  const { amount, reference, checkoutSession } = words
  const purchase = purchaseOf(words)
  return {
    amount: needed(amount, '--amount'),
    reference: reference || `cli-${randomUUID()}`,
    ...(purchase && { purchase_context: [purchase] }),
    ...(checkoutSession && { delivery: { type: 'acp', checkout_session_id: checkoutSession } }),
  }
}

/** Without a shop the one of the mandate is meant. */
function purchaseOf({ line, merchantName: name, merchantUrl: url, merchantCountry: country }: ChargeBodyWords) {
  const hasShop = [name, url, country].some((word) => word !== undefined)
  if (!hasShop) return line === undefined ? undefined : { product_details: line }
  return {
    merchant_details: {
      name: needed(name, '--merchant-name'),
      url: needed(url, '--merchant-url'),
      country_code_iso2: needed(country, '--merchant-country'),
    },
    product_details: needed(line, '--line'),
  }
}

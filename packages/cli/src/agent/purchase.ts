import type { CreateAgentSessionRequest } from '@mintmark/node'
import { needed, UsageError } from '../usage.ts'

export type Line = CreateAgentSessionRequest['products'][number]

/** What is bought, and where: the words of a session and of a mandate. */
export interface PurchaseWords {
  amount?: string
  currency?: string
  merchantName?: string
  merchantUrl?: string
  merchantCountry?: string
  line?: Line[]
}

/** As the API wants it. It judges the values; here is seen that they are there. */
export function purchaseOf(words: PurchaseWords): CreateAgentSessionRequest {
  const { amount, currency, merchantName, merchantUrl, merchantCountry, line } = words
  return {
    total_amount: needed(amount, '--amount'),
    currency: needed(currency, '--currency') as CreateAgentSessionRequest['currency'],
    merchant_name: needed(merchantName, '--merchant-name'),
    merchant_url: needed(merchantUrl, '--merchant-url'),
    merchant_country: needed(merchantCountry, '--merchant-country') as CreateAgentSessionRequest['merchant_country'],
    products: needed(line, '--line'),
  }
}

const LINE = /^(?:(\d{1,7}) ?x )?(\d{1,12}(?:\.\d+)?) (\S.*)$/

/** `2x 20.00 Green tea`, or `20.00 Green tea`: how many, the price of one, what it is. */
export function collectLine(text: string, before: Line[] = []): Line[] {
  const [, quantity, unit_price, description] = LINE.exec(text.trim()) ?? []
  if (unit_price === undefined || description === undefined) {
    throw new UsageError('--line must be like "2x 20.00 Green tea": how many, the price of one, what it is')
  }
  return [...before, { description, unit_price, ...(quantity === undefined ? {} : { quantity: Number(quantity) }) }]
}

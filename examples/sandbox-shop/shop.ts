import type { IncomingMessage } from 'node:http'
import { type Acquirer, createAcquirer } from './buying/acquirer.ts'
import { createCheckouts } from './buying/checkouts.ts'
import { openDatabase } from './buying/database.ts'
import { createPay } from './buying/pay.ts'
import { createQuotes } from './buying/quotes.ts'
import { createStock } from './buying/stock.ts'
import type { Reply } from './http/listen.ts'

export interface ShopOptions {
  /** The directory of its files. */
  home: string
  /** What callers show. */
  key: string
  acquirer: Acquirer
  /** The shop, as the card network knows it. */
  merchantUrl?: string | undefined
  now?: () => Date
  quoteSeconds?: number
  reservationSeconds?: number
  acquirerTimeoutMillis?: number
  slowMillis?: number
  log?: (line: string) => void
  onKeyRefused?: () => void
}

export const MERCHANT_URL = 'https://sandbox-shop.example'

const DEFAULTS = {
  now: () => new Date(),
  // The buyer's approval may begin at the end of our caller's quote, and takes its own time.
  quoteSeconds: 3_600,
  reservationSeconds: 900,
  acquirerTimeoutMillis: 4_000,
  // Longer than a client waits for a payment.
  slowMillis: 45_000,
  log: () => {},
  onKeyRefused: () => {},
}

/** Another protocol over the same stock, checkouts and orders. The shop has none; tests add one (`testing/acp`). */
export interface Protocol {
  /** The tables of its own. */
  tables: string
  open(parts: Parts): {
    sweep(): void
    /** Undefined: the request is none of this protocol. */
    answer(request: IncomingMessage, url: URL, origin: string): Promise<Reply> | undefined
  }
}
export type Parts = ReturnType<typeof openParts>

function openParts(options: ShopOptions, tables: string) {
  // A caller that shows no key has shown an empty one.
  if (options.key === '') throw new Error('The shop needs a key that its callers show (SHOP_KEY).')
  const settings = { ...DEFAULTS, ...options, merchantUrl: options.merchantUrl ?? MERCHANT_URL }
  const db = openDatabase(settings.home, tables)
  const stock = createStock(db)
  const quotes = createQuotes({ ...settings, db, stock })
  const checkouts = createCheckouts({ ...settings, db, stock, quotes })
  const { authorize } = createAcquirer(settings.acquirer, settings.acquirerTimeoutMillis)
  const payments = createPay({ ...settings, checkouts, authorize, stopping: new AbortController() })
  return { ...settings, db, stock, quotes, checkouts, pay: payments.pay, settle: payments.settle }
}

/** Opens the shop's files and builds what works on them. */
export function openShop(options: ShopOptions, protocol?: Protocol) {
  const parts = openParts(options, protocol?.tables ?? '')
  const { key, db, stock, quotes, checkouts, pay } = parts
  const other = protocol?.open(parts)
  checkouts.recover()
  return {
    key,
    stock,
    quotes,
    checkouts,
    answer: other?.answer,
    /** What was bought, by the id of the order. */
    order(orderId: string) {
      const { quote = '', total = 0n } = checkouts.findByOrder(orderId) ?? {}
      const { lines } = quotes.find(quote) ?? {}
      return lines === undefined ? undefined : { id: orderId, total, lines }
    },
    /** What is over: reserved goods go back when their time is over, also when no caller asks. */
    sweep(): void {
      checkouts.expire()
      other?.sweep()
    },
    pay,
    async close() {
      await parts.settle()
      db.close()
    },
  }
}

export type Shop = ReturnType<typeof openShop>

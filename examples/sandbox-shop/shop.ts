import { setTimeout as delay } from 'node:timers/promises'
import { createIdempotency, REQUEST_TABLE } from './acp/idempotency.ts'
import { createSessions, SESSION_TABLE } from './acp/sessions.ts'
import { createTokens, TOKEN_TABLE } from './acp/tokens.ts'
import { type Acquirer, createAcquirer } from './buying/acquirer.ts'
import { createCheckouts } from './buying/checkouts.ts'
import { openDatabase } from './buying/database.ts'
import { createPay } from './buying/pay.ts'
import { createQuotes } from './buying/quotes.ts'
import { createStock } from './buying/stock.ts'

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
  /** How long an answer of the slow product takes; `slowMillis` unless given. */
  slow?: (signal: AbortSignal) => Promise<unknown>
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

/** Opens the shop's files and builds what works on them. */
export function openShop(options: ShopOptions) {
  // A caller that shows no key has shown an empty one.
  if (options.key === '') throw new Error('The shop needs a key that its callers show (SHOP_KEY).')
  const settings = { ...DEFAULTS, ...options, merchantUrl: options.merchantUrl ?? MERCHANT_URL }
  const { slow = (signal) => delay(settings.slowMillis, undefined, { ref: false, signal }) } = options
  const db = openDatabase(settings.home, SESSION_TABLE + REQUEST_TABLE + TOKEN_TABLE)
  const stock = createStock(db)
  const quotes = createQuotes({ ...settings, db, stock })
  const checkouts = createCheckouts({ ...settings, db, stock, quotes })
  const { authorize } = createAcquirer(settings.acquirer, settings.acquirerTimeoutMillis)
  const payments = createPay({ ...settings, slow, checkouts, authorize, stopping: new AbortController() })
  const acp = {
    sessions: createSessions({ ...settings, db, quotes, checkouts }),
    tokens: createTokens({ ...settings, db }),
    idempotency: createIdempotency(db, settings.now),
  }
  checkouts.recover()
  return {
    key: settings.key,
    stock,
    quotes,
    checkouts,
    acp,
    /** What was bought, by the id of the order. */
    order(orderId: string) {
      const { quote = '', total = 0n } = checkouts.findByOrder(orderId) ?? {}
      const { lines } = quotes.find(quote) ?? {}
      return lines === undefined ? undefined : { id: orderId, total, lines }
    },
    /** What is over: reserved goods go back when their time is over, also when no caller asks; old keys are forgotten. */
    sweep(): void {
      checkouts.expire()
      acp.idempotency.forgetOld()
      acp.tokens.forgetOld()
    },
    pay: payments.pay,
    async close() {
      await payments.settle()
      db.close()
    },
  }
}

export type Shop = ReturnType<typeof openShop>

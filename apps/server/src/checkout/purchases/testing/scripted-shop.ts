import type {
  CheckoutAnswer,
  CheckoutRefusal,
  MerchantCheckout,
  PayRequest,
  PayResult,
  QuoteRequest,
  ShopPurchaseState,
  ShopQuote,
} from '../../port.ts'
import { offerOf } from '../../quotes/testing/scripted-shop.ts'

/**
 * What a shop does with one question. `ok`: what it is for. `lost_before` and `lost_after`: the question, or the
 * answer, never arrives. `throws`: an adapter that breaks its promise. Or a refusal.
 */
export type Behaviour = 'ok' | 'lost_before' | 'lost_after' | 'throws' | 'needs_human' | 'in_progress' | CheckoutRefusal

export type Question = 'prepare' | 'pay' | 'inquire' | 'release'

interface Purchase {
  state: ShopPurchaseState['state']
  reason: CheckoutRefusal
  orderId: string | null
  authorizationCode: string | null
  /** Payments that the acquirer approved: what must never be two. */
  payments: number
}

/** What the shop's acquirer says to a card. */
export type Acquirer = (request: PayRequest) => Promise<{ approved: boolean; authorizationCode?: string }>

export interface ScriptedShop extends MerchantCheckout {
  /** What it does with the next questions of a kind; the last one stays. */
  script(question: Question, ...behaviours: Behaviour[]): void
  /** Called before a question is looked at: to hold it, or to do something meanwhile. */
  on(question: Question, before: (purchaseId: string) => Promise<void> | void): void
  /** Forgets scripts, and what it was asked; its books it keeps. */
  reset(): void
  /** What happens at the shop itself, whatever it was asked. */
  set(purchaseId: string, change: Partial<Purchase>): void
  /** Its own books. */
  purchases: Map<string, Purchase>
  /** What it was asked about a purchase. */
  asked(purchaseId: string): Question[]
  orderId: string
}

const UNKNOWN = { outcome: 'unknown', cause: 'scripted' } as const

/**
 * A shop in this process that keeps books, pays at an acquirer, and fails as told. Idempotent on the id of a purchase.
 */
export function createScriptedShop(acquirer: Acquirer): ScriptedShop {
  const purchases = new Map<string, Purchase>()
  const scripts = new Map<Question, Behaviour[]>()
  const hooks = new Map<Question, (purchaseId: string) => Promise<void> | void>()
  const asked: { question: Question; purchaseId: string }[] = []

  async function answer<T>(
    question: Question,
    request: { purchaseId: string },
    act: (behaviour: Behaviour) => CheckoutAnswer<T> | Promise<CheckoutAnswer<T>>,
  ): Promise<CheckoutAnswer<T>> {
    asked.push({ question, purchaseId: request.purchaseId })
    await hooks.get(question)?.(request.purchaseId)
    const script = scripts.get(question) ?? ['ok']
    const behaviour = (script.length > 1 ? script.shift() : script[0]) ?? 'ok'
    if (behaviour === 'throws') throw new Error('scripted')
    if (behaviour === 'lost_before') return UNKNOWN
    const result = await act(behaviour)
    return behaviour === 'lost_after' ? UNKNOWN : result
  }

  const shop: ScriptedShop = {
    purchases,
    asked: (id) => asked.flatMap(({ question, purchaseId }) => (purchaseId === id ? [question] : [])),
    orderId: 'A-10042',
    script: (question, ...behaviours) => scripts.set(question, behaviours),
    on: (question, before) => hooks.set(question, before),
    reset() {
      scripts.clear()
      hooks.clear()
      asked.length = 0
      shop.orderId = 'A-10042'
    },
    set(id, change) {
      purchases.set(id, { ...(purchases.get(id) ?? NEW), ...change })
    },
    search: async () => UNKNOWN,
    product: async () => UNKNOWN,
    quote: async (request) => ({ outcome: 'ok', value: ofForty(request) }),

    prepare: (request) =>
      answer('prepare', request, (behaviour) => {
        const known = purchases.get(request.purchaseId)
        if (known?.state === 'released') return { outcome: 'refused', reason: 'released' }
        if (isRefusal(behaviour)) return { outcome: 'refused', reason: behaviour }
        if (known === undefined) purchases.set(request.purchaseId, { ...NEW })
        return { outcome: 'ok', value: {} }
      }),

    pay: (request) =>
      answer('pay', request, async (behaviour) => {
        const purchase = purchases.get(request.purchaseId)
        if (purchase === undefined) return { outcome: 'refused', reason: 'not_found' }
        if (purchase.state === 'released') return { outcome: 'refused', reason: 'released' }
        if (purchase.state === 'declined') return { outcome: 'refused', reason: purchase.reason }
        if (purchase.state === 'open') await charge(acquirer, { orderId: shop.orderId, purchase, request, behaviour })
        return paid(purchase)
      }),

    inquire: (request) =>
      answer<ShopPurchaseState>('inquire', request, (behaviour) => {
        const purchase = purchases.get(request.purchaseId)
        if (isRefusal(behaviour)) return { outcome: 'refused', reason: behaviour }
        if (purchase === undefined) return { outcome: 'ok', value: { state: 'not_found' } }
        return { outcome: 'ok', value: stateOf(purchase) }
      }),

    release: (request) =>
      answer('release', request, (behaviour) => {
        const purchase = purchases.get(request.purchaseId)
        if (isRefusal(behaviour)) return { outcome: 'refused', reason: behaviour }
        if (purchase === undefined) return { outcome: 'refused', reason: 'not_found' }
        if (purchase.state === 'paid' || purchase.state === 'in_progress')
          return { outcome: 'refused', reason: 'refused' }
        if (purchase.state === 'released') return { outcome: 'refused', reason: 'released' }
        purchase.state = 'released'
        return { outcome: 'ok', value: {} }
      }),
  }

  return shop
}

interface Charged {
  orderId: string
  purchase: Purchase
  request: PayRequest
  behaviour: Behaviour
}

async function charge(acquirer: Acquirer, { orderId, purchase, request, behaviour }: Charged): Promise<void> {
  if (behaviour === 'needs_human' || behaviour === 'in_progress') {
    purchase.state = behaviour
  } else if (isRefusal(behaviour)) {
    Object.assign(purchase, { state: 'declined', reason: behaviour })
  } else {
    // `open` says that no payment is on its way: a shop that said so now, or gave the purchase back, would be paid all
    // the same.
    purchase.state = 'in_progress'
    const answer = await acquirer(request).catch((error: unknown) => {
      purchase.state = 'open'
      throw error
    })
    const { approved, authorizationCode = null } = answer
    if (!approved) Object.assign(purchase, { state: 'declined', reason: 'card_declined' })
    else {
      purchase.payments += 1
      Object.assign(purchase, { state: 'paid', orderId, authorizationCode })
    }
  }
}

/** One thing for 40.00, brought for nothing. */
function ofForty(request: QuoteRequest): ShopQuote {
  const { lines } = offerOf(request)
  const price = { unitPriceMinor: 4_000n, totalMinor: 4_000n }
  return offerOf(request, {
    lines: lines.map((line) => ({ ...line, ...price })),
    ...{ itemsMinor: 4_000n, shippingMinor: 0n, taxMinor: 0n, totalMinor: 4_000n },
  })
}

const NEW: Purchase = { state: 'open', reason: 'refused', orderId: null, authorizationCode: null, payments: 0 }

function stateOf({ state, reason, orderId, authorizationCode }: Purchase): ShopPurchaseState {
  if (state === 'paid') return { state, orderId, authorizationCode }
  return state === 'declined' ? { state, reason } : { state }
}

function paid({ state, reason, orderId, authorizationCode }: Purchase): CheckoutAnswer<PayResult> {
  switch (state) {
    case 'paid':
      return { outcome: 'ok', value: { state, orderId, authorizationCode } }
    case 'needs_human':
    case 'in_progress':
      return { outcome: 'ok', value: { state } }
    default:
      return { outcome: 'refused', reason }
  }
}

const PLAIN: readonly Behaviour[] = ['ok', 'lost_before', 'lost_after', 'throws', 'needs_human', 'in_progress']

function isRefusal(behaviour: Behaviour): behaviour is CheckoutRefusal {
  return !PLAIN.includes(behaviour)
}

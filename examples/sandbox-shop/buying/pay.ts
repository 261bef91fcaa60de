import type { Failure } from '../catalog/failures.ts'
import { CURRENCY, toText } from '../pricing/money.ts'
import type { Authorization, AuthorizationRequest, Card } from './acquirer.ts'
import { type Checkout, type Checkouts, existing, openOnly } from './checkouts.ts'
import { Refused } from './refused.ts'

export interface PayRequest {
  card: Card
  total: bigint
  currency: string
}

export interface PayDeps {
  checkouts: Checkouts
  authorize: (request: AuthorizationRequest) => Promise<Authorization>
  merchantUrl: string
  /** Takes as long as the answer of a slow product does. */
  slow: (signal: AbortSignal) => Promise<unknown>
  stopping: AbortController
  log: (line: string) => void
  /** Each time that a payment failed because the acquirer refuses the shop's key, which no retry mends. */
  onKeyRefused: () => void
}

/** How the answer goes out: as it should, never, or as nonsense. */
export interface Paid {
  checkout: Checkout
  answer: 'said' | 'lost' | 'garbage'
}

/** The code of a card with too little on it; every other refusal is a decline. */
const NOT_ENOUGH = '51'

export function createPay(deps: PayDeps) {
  const { checkouts } = deps
  const underWay = new Set<Promise<void>>()

  /**
   * Pays a checkout once. A caller that comes while it is under way hears `in_progress`; afterwards each hears the first outcome.
   * The card is not compared, for it is not stored: a caller that pays again with another card gets the first one's outcome.
   */
  async function pay(ref: string, request: PayRequest): Promise<Paid> {
    const before = existing(checkouts.find(ref))
    if (before.state === 'refused') throw new Refused('not_found', 'There is no such checkout.')
    if (before.total !== request.total || request.currency !== CURRENCY) throw new Refused('conflict')
    const failure = checkouts.failureOf(before.quote)
    if (failure === 'lost_before' && checkouts.countTry(ref)) return { checkout: before, answer: 'lost' }
    if (!checkouts.begin(ref, request.card.number.slice(-4))) return { checkout: outcomeOf(deps, ref), answer: 'said' }
    const isFirst = before.tries === 0
    const work = carryOut(deps, before, request.card, failure)
    underWay.add(work)
    await work.finally(() => underWay.delete(work))
    const checkout = outcomeOf(deps, ref)
    return { checkout, answer: isFirst ? answerOf(failure) : 'said' }
  }

  return {
    pay,
    /** At the end of a process: what the acquirer was asked is worth waiting for; a slow product is not. */
    settle: async (): Promise<void> => {
      deps.stopping.abort()
      await Promise.allSettled(underWay)
    },
  }
}

function answerOf(failure: Failure | undefined): Paid['answer'] {
  if (failure === 'lost_after') return 'lost'
  return failure === 'garbage' ? 'garbage' : 'said'
}

/** The checkout is under way and ours. When this returns, it is not any more; when the process dies, `recover` finds it. */
async function carryOut(
  deps: PayDeps,
  { ref, total }: Checkout,
  card: Card,
  failure: Failure | undefined,
): Promise<void> {
  const { checkouts, log, merchantUrl } = deps
  switch (failure) {
    case 'card_declined':
    case 'insufficient_funds':
      checkouts.move(ref, 'in_progress', 'declined', failure)
      return
    case 'needs_human':
      checkouts.move(ref, 'in_progress', 'needs_human', failure)
      return
    case 'slow':
      await deps.slow(deps.stopping.signal)
  }
  checkouts.ask(ref)
  const answer = await deps.authorize({ card, amount: toText(total), currency: CURRENCY, merchantUrl })
  record(checkouts, ref, answer)
  log(`checkout ${ref}: ${answer.outcome}`)
  if (answer.outcome !== 'not_asked') return
  if (answer.isKeyRefused !== true) throw new Refused('acquirer_unreachable')
  deps.onKeyRefused()
  throw new Refused('acquirer_unreachable', KEY_REFUSED)
}

const KEY_REFUSED = 'The payment service refuses the key of the shop. Nothing was paid; the shop needs another key.'

function record(checkouts: Checkouts, ref: string, answer: Authorization): void {
  switch (answer.outcome) {
    case 'approved':
      checkouts.finish(ref, 'in_progress', answer.authorizationCode)
      return
    case 'refused':
      checkouts.move(
        ref,
        'in_progress',
        'declined',
        answer.responseCode === NOT_ENOUGH ? 'insufficient_funds' : 'card_declined',
      )
      return
    case 'not_asked':
      checkouts.move(ref, 'in_progress', 'open', null)
      return
    case 'unknown':
      // It may be paid. A person asks the acquirer; a program that tried another card could charge the buyer twice.
      checkouts.move(ref, 'in_progress', 'needs_human', 'payment_unknown')
  }
}

function outcomeOf({ checkouts }: PayDeps, ref: string): Checkout {
  const checkout = existing(checkouts.find(ref))
  switch (checkout.state) {
    case 'paid':
    case 'in_progress':
    case 'needs_human':
      return checkout
    case 'declined':
      throw new Refused(checkout.reason === 'insufficient_funds' ? 'insufficient_funds' : 'card_declined')
    default:
      throw new Refused(openOnly(checkout.state))
  }
}

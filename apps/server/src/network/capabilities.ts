import type { Currency } from '@mintmark/contract'
import type { CARD_ENTRIES_ELSEWHERE } from '@mintmark/contract/surface'
import type { Money } from '../platform/money.ts'
import type { NetworkEvents } from './events-port.ts'
import type { CardNetwork, NetworkAnswer } from './port.ts'

/**
 * How a card comes to a network: its number is typed into our page; into fields that the network brings itself; it is
 * an account of the operator, and nothing is typed; or cards cannot be added at all.
 */
export type CardEntry = 'number' | (typeof CARD_ENTRIES_ELSEWHERE)[number]

/** How a network asks a cardholder for more: by a code, at an address of its own, or by a ceremony in its frame. */
export type StepUpKind = 'code' | 'redirect' | 'frame'

/**
 * What the network itself holds a credential to, beside its amount. `host`: the address of the shop; `descriptor`: the
 * name by which the shop is known to it; `country`: the country alone, and the rest of the lock is ours at the mint.
 */
export type MerchantLock = 'host' | 'descriptor' | 'country'

/** What a network can. The page, the routes and their documents follow it; the conformance suite skips by its names. */
export interface NetworkCapabilities {
  readonly cardEntry: CardEntry
  /** Empty: it never asks for more. */
  readonly stepUps: readonly StepUpKind[]
  /** It looks at a card's number, expiry and security code before it is provisioned. */
  readonly verifiesCards: boolean
  /** `all`: every currency that the service has. */
  readonly currencies: 'all' | readonly Currency[]
  readonly merchantLock: MerchantLock
  /** A credential is dead at the network when its life is over; otherwise it is dead once it was released. */
  readonly endsCredentials: boolean
  /** It tells what became of a credential, also where no merchant reports it. */
  readonly observesOutcomes: boolean
  /**
   * What is authorized is captured days later, often behind the end of its credential: a purchase that no merchant
   * reports waits for that.
   */
  readonly capturesLater: boolean
}

/** Whatever the port has. */
export const UNLIMITED: NetworkCapabilities = Object.freeze<NetworkCapabilities>({
  cardEntry: 'number',
  stepUps: ['code'],
  verifiesCards: true,
  currencies: 'all',
  merchantLock: 'host',
  endsCredentials: true,
  observesOutcomes: true,
  capturesLater: false,
})

/** A network, and what it can. */
export interface CapableNetwork extends CardNetwork {
  readonly capabilities: NetworkCapabilities
  /** What it tells by itself, where it `observesOutcomes`. */
  readonly events?: NetworkEvents
  /** How the operator's account there stands, where cards are paid from one. */
  account?(): Promise<NetworkAnswer<AccountStanding>>
}

export interface AccountStanding {
  /** Cards may be made and pay; false: the network has closed that, or not opened it yet. */
  isOpen: boolean
  /** What is left to pay from. */
  balance: Money
}

/** A schema with a `currency`, as it is served: a field whose values may be fewer than its type says. */
interface WithCurrency {
  properties: { currency: object }
}

/**
 * The same schema, whose currency is one that the network has: any other is refused before anything is made, and the
 * published description says which there are.
 */
export function inCurrenciesOf<Schema extends WithCurrency>(
  { currencies }: Pick<NetworkCapabilities, 'currencies'>,
  schema: Schema,
): Schema {
  if (currencies === 'all') return schema
  // It is another type than the one that has the title.
  const { title: _other, ...currency } = schema.properties.currency as { title?: string }
  const narrowed = { ...currency, enum: [...currencies], 'x-message': `must be one of ${currencies.join(', ')}` }
  return { ...schema, properties: { ...schema.properties, currency: narrowed } }
}

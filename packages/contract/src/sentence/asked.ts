import type { MerchantScope, RecurringFrequency } from '../states.ts'
import type { AgentLimits } from '../wire/agents.ts'

// What a person is asked for, as far as the sentence says it. Amounts are decimal texts, currencies ISO 4217.

interface Money {
  amount: string
  currency: string
}

interface OfShop extends Money {
  payee: string
  /** Its address. Any shop may take a name; a card works at this host alone. */
  payeeUrl: string
}

/** One purchase, which the shop charges. */
export interface PaymentAsked extends OfShop {
  type: 'payment'
  /** The agent that has asked: it gets the card. Null: the shop itself has. */
  agent: string | null
  /** How long the approval is good, from when it is given. */
  validMinutes: number
}

/** One purchase that the operator makes for the person who approves. */
export interface QuoteAsked extends OfShop {
  type: 'quote'
  operator: string
  agent: string | null
}

/** A standing permission. */
export interface MandateAsked extends OfShop {
  type: 'mandate'
  agent: string | null
  frequency: RecurringFrequency
  merchantScope: MerchantScope
  /** Null: only the cap limits their number. */
  maxCharges: number | null
  /** Null: seven days from the approval. */
  validUntil: Date | null
  mostTotal: string
}

/** A card that is kept. The payee is the account by the name that the operator has given it: the merchant that asks may not choose one. */
export interface EnrollmentAsked {
  type: 'enrollment'
  operator: string
  payee: string
}

/** One charge of an agent beyond a limit. */
export interface ChargeAsked extends OfShop {
  type: 'charge'
  agent: string
}

/** What an owner allows an agent that is to be linked. */
export interface LinkAsked {
  type: 'link'
  agent: string
  currency: string
  charge: string | null
  day: string | null
  month: string | null
  open: number | null
  merchants: readonly string[] | null
  hours: { from: string; to: string; zone: string } | null
  ask_above: string | null
  ask_repeats?: boolean
}

/** What asks to act as an agent that the owner has, whose limits stay. */
export interface JoinAsked extends Omit<LinkAsked, 'type'> {
  type: 'join'
  /** What it calls itself. */
  asks: string
}

/** Other limits for an agent that is linked, in place of those that it has. */
export interface LimitsAsked {
  type: 'limits'
  agent: string
  was: AgentLimits
  limits: AgentLimits
}

export type Asked =
  | PaymentAsked
  | QuoteAsked
  | MandateAsked
  | EnrollmentAsked
  | ChargeAsked
  | LinkAsked
  | JoinAsked
  | LimitsAsked

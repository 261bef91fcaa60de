import type { BinService } from '../bins/service.ts'
import type { Captured, Change, CommandDeps } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import type { WorkDeps } from '../jobs/work.ts'
import type { CardDesign, CardNetwork } from '../network/port.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { Vault } from '../vault/service.ts'
import type { Card, CardInEntry } from './store.ts'

export interface CardDeps extends CommandDeps, WorkDeps {
  vault: Pick<Vault, 'sealCard' | 'fingerprint' | 'openCard' | 'insertRecord' | 'provision' | 'verifyCard'>
  network: Pick<CardNetwork, 'completeStepUp' | 'deleteToken'>
  /** Ends what the card pays, in the transaction that deletes it. What that is, cards need not know. */
  mandates: {
    cancelOfCard(
      change: Change,
      card: { merchantId: string; customerId: string; cardId: string },
    ): Promise<Captured<'mandate.cancelled' | 'mandate.creation_failed'>[]>
  }
  charges: {
    endOfCard(change: Change, card: { merchantId: string; customerId: string; cardId: string }): Promise<void>
  }
  bins: Pick<BinService, 'judge'>
  seals: RowSeals
  log: Log
  /** Until when at most a session needs a card that is not kept; null: none does. Why, cards need not know. */
  findUse(on: Queryable, card: { merchantId: string; cardId: string }): Promise<{ until: Date | null } | undefined>
}

/**
 * The writes of one entry, each the first statements of what is sent on `on`. Each changes the card together with what it is entered for,
 * which is not for the cards to know. The first two return undefined where nothing may be entered there now, the second also where it is
 * deleted no more; the others where the card has ended, or is not in that state.
 */
export interface EntryStore {
  insertCard(on: Queryable, card: NewCard & Once): Promise<Entered | undefined>
  /** For a card that was deleted, by its id. */
  reviveCard(on: Queryable, card: NewCard & Once): Promise<Entered | undefined>
  /** `isActive`: the card was, before this word; otherwise it waited for it. Here as below. */
  updateAccepted(on: Queryable, accepted: Accepted & Once, isActive: boolean): Promise<Kept | undefined>
  updateAwaited(on: Queryable, awaited: Awaited & Once): Promise<Kept | undefined>
  updateVerified(on: Queryable, verified: Accepted & Entry, isActive: boolean): Promise<Kept | undefined>
  /** Reads, in the round trip of an update, how what the card is entered for stands then. */
  look(on: Queryable, updating: Promise<Kept | undefined>): Promise<void>
}

/** The card of a number, in any status, and whether this entry made its row, or began it anew. */
export type Entered = CardInEntry & {
  isNew: boolean
  entrySeal: Buffer
  /** Which cards its merchant accepts. */
  cardCountries: string[] | null
  cardIssuers: string[] | null
}
/** A card after the network's word, and whether what it was entered for has it now. */
export type Kept = Card & { isChosen: boolean }

/** A row that an entry may insert, and its number. */
type NewCard = Pick<Card, 'customerId' | 'last4' | 'brand' | 'expMonth' | 'expYear'> & {
  cardId: string
  vaultRecordId: string
  fingerprint: Buffer
  entrySeal: Buffer
  numberSealed: Buffer
  numberKeyId: string
  at: Date
}
/** Whether it is entered for this once, and not kept. */
interface Once {
  once: boolean
}

/** The network accepted an entry. */
interface Accepted {
  cardId: string
  /** Which enrollment of the card was accepted: a word about an earlier one is about a token that is gone. */
  enrolment: number
  tokenRef: string
  design: CardDesign | null
  seal: Buffer
  expMonth: number
  expYear: number
  at: Date
}
interface Entry {
  entryId: string
}
/** The network sent a code for an entry. */
interface Awaited extends Entry {
  cardId: string
  enrolment: number
  at: Date
}

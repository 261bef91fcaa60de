import { randomUUID } from 'node:crypto'
import type { TestContext } from 'vitest'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import { newId, newOrderedId } from '../../platform/ids.ts'
import { secret } from '../../platform/secret.ts'
import type {
  CardNetwork,
  InstructionRequest,
  MintedCredential,
  MintRequest,
  NetworkAnswer,
  ProvisionRequest,
} from '../port.ts'

// What the conformance suite works with: the adapter under test, and the shortest way to each state a test starts from.

/** A card of the network's test environment. */
interface ConformanceCard {
  number: string
  cvv: string
}

/** Cards that provoke what the suite wants to see. A network without one of the optional ones skips those tests. */
interface ConformanceCards {
  success: ConformanceCard
  stepUp?: ConformanceCard & { code: string }
  refused?: ConformanceCard
  mintAnswerLost?: ConformanceCard
  mintRequestLost?: ConformanceCard
  confirmationFailsOnce?: ConformanceCard
  deletionFailsOnce?: ConformanceCard
  deletionAnswerLost?: ConformanceCard
  releaseFailsOnce?: ConformanceCard
  releaseAnswerLost?: ConformanceCard
}

/** What an adapter brings to be tested. Ids are new in every test, so a shared environment will do. */
export interface NetworkUnderTest {
  network: CardNetwork
  /** The clock the network's rules read. A network whose time cannot be moved leaves `advance` out. */
  clock: Clock & { advance?(seconds: number): void }
  testCards: ConformanceCards
  /** Tries a credential at a merchant; true when it was approved. */
  acquirer?: (credential: MintedCredential, amount: { minor: bigint; url: string }) => Promise<boolean>
  close?(): Promise<void>
}

export const URL_OF_SHOP = 'https://shop.example/checkout'
export const WEEK_SECONDS = 7 * 24 * 60 * 60

/** A caller with the shortest way to each state the tests start from. */
export class Actor {
  subject: NetworkUnderTest
  network: CardNetwork

  constructor(subject: NetworkUnderTest) {
    this.subject = subject
    this.network = subject.network
  }

  cardRequest(card: ConformanceCard = this.subject.testCards.success): ProvisionRequest {
    const cardNumber = secret(card.number)
    const expiryYear = this.subject.clock.now().getUTCFullYear() + 3
    const typed = { cardNumber, expiryMonth: 12, expiryYear, cvv: secret(card.cvv) }
    return { cardId: newId('card'), entryId: randomUUID(), ...typed, stepUp: 'if_needed' }
  }

  /** A token; throws when the card asks for a step-up. */
  async token(card?: ConformanceCard): Promise<{ cardId: string; tokenRef: string }> {
    const request = this.cardRequest(card)
    const result = okValue(await this.network.provision(request))
    if (result.state !== 'provisioned') throw new Error('The card asks for a step-up.')
    return { cardId: request.cardId, tokenRef: result.tokenRef }
  }

  async terms(change: Partial<InstructionRequest> & { card?: ConformanceCard } = {}): Promise<InstructionRequest> {
    const { card, ...terms } = change
    return {
      mandateId: newOrderedId('mandate', new Date()),
      tokenRef: terms.tokenRef ?? (await this.token(card)).tokenRef,
      cap: { minor: 10_000n, currency: 'USD' },
      frequency: 'monthly',
      maxCharges: null,
      merchant: { name: 'Shop', url: 'https://shop.example', country: 'US' },
      validUntil: addSeconds(this.subject.clock.now(), WEEK_SECONDS),
      approvalHash: 'a'.repeat(64),
      ...terms,
    }
  }

  /** A registered instruction; returns the request of a first mint of 40.00 on it. */
  async charge(change: Partial<InstructionRequest> & { card?: ConformanceCard } = {}): Promise<MintRequest> {
    const terms = await this.terms(change)
    const { instructionRef } = okValue(await this.network.registerInstruction(terms))
    const amount = { minor: 4_000n, currency: 'USD' } as const
    return {
      chargeId: newId('charge'),
      mandateId: terms.mandateId,
      instructionRef,
      amount,
      merchantUrl: URL_OF_SHOP,
      lifeMinutes: null,
    }
  }
}

export function okValue<T>(answer: NetworkAnswer<T>): T {
  if (answer.outcome !== 'ok') throw new Error(`Expected ok, got ${JSON.stringify(answer)}.`)
  return answer.value
}

export function reveal({ token, dynamicCvv, expiryMonth, expiryYear, validUntil }: MintedCredential): string {
  return [token.reveal(), dynamicCvv.reveal(), expiryMonth, expiryYear, validUntil.toISOString()].join(' ')
}

export function isReason(answer: NetworkAnswer<unknown>, reason: string): boolean {
  return answer.outcome === 'declined' && answer.reason === reason
}

export function reasonIs(reason: string) {
  return { outcome: 'declined', reason }
}

export function many<T>(times: number, make: () => T): T[] {
  return Array.from({ length: times }, make)
}

/** The fixture, or the test is skipped. */
export function required<T>(context: TestContext, fixture: T | undefined): T {
  if (fixture === undefined) return context.skip('This network cannot provoke it.')
  return fixture
}

export function advance(context: TestContext, { subject: { clock } }: Actor, seconds: number): void {
  if (clock.advance === undefined) context.skip('The time of this network cannot be moved.')
  else clock.advance(seconds)
}

import { randomUUID } from 'node:crypto'
import type { TestContext } from 'vitest'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import { newId, newOrderedId } from '../../platform/ids.ts'
import { secret } from '../../platform/secret.ts'
import type { CapableNetwork, NetworkCapabilities } from '../capabilities.ts'
import type { ChargeNews, FactKind, NetworkMessage } from '../events-port.ts'
import type { InstructionRequest, MintedCredential, MintRequest, NetworkAnswer, ProvisionRequest } from '../port.ts'

// What the conformance suite works with: the adapter under test, and the shortest way to each state a test starts from.

/** A card of the network's test environment. */
interface ConformanceCard {
  number: string
  cvv: string
  /** Where no number is typed: told which card is about to be this one. */
  prepare?(cardId: string): void
}

/** Cards that provoke what the suite wants to see. A network without one of the optional ones skips those tests. */
interface ConformanceCards {
  success: ConformanceCard
  stepUp?: ConformanceCard & { code: string; newCode: string }
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
  network: CapableNetwork
  /** The clock the network's rules read. A network whose time cannot be moved leaves `advance` out. */
  clock: Clock & { advance?(seconds: number): void }
  testCards: ConformanceCards
  /** Tries a credential at a merchant; true when it was approved. */
  acquirer?: (credential: MintedCredential, amount: { minor: bigint; url: string }) => Promise<boolean>
  /** What becomes of payments, of a network that tells it. */
  payments?: {
    /** Pays with a credential; the network's name of that, or null where it was declined. */
    authorize: (credential: MintedCredential, amount: { minor: bigint; url: string }) => Promise<string | null>
    /** What the shop's bank does with it. `minor` null: all that there is. `isPartial`: another capture will follow. */
    settle: (
      authorizationId: string,
      act: { kind: Settled; minor: bigint | null; isPartial?: boolean },
    ) => Promise<void>
    /** The message by which the network tells of the latest of it, as it comes in. */
    message: (about: ChargeNews) => Promise<NetworkMessage>
  }
  close?(): Promise<void>
}

type Settled = Exclude<FactKind, 'authorized' | 'declined'>

export const URL_OF_SHOP = 'https://shop.example/checkout'
export const WEEK_SECONDS = 7 * 24 * 60 * 60

/** A caller with the shortest way to each state the tests start from. */
export class Actor {
  subject: NetworkUnderTest
  network: CapableNetwork

  constructor(subject: NetworkUnderTest) {
    this.subject = subject
    this.network = entering(subject.network)
  }

  cardRequest(card: ConformanceCard = this.subject.testCards.success): ProvisionRequest {
    const cardNumber = secret(card.number)
    const expiryYear = this.subject.clock.now().getUTCFullYear() + 3
    const typed = { cardNumber, expiryMonth: 12, expiryYear, cvv: secret(card.cvv) }
    const cardId = newId('card')
    card.prepare?.(cardId)
    return { cardId, entryId: randomUUID(), ...typed, stepUp: 'if_needed' }
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

/** A network that makes its cards from an account takes the same calls of the suite: nothing typed reaches it. */
function entering(network: CapableNetwork): CapableNetwork {
  const { provisionAccount } = network
  if (network.capabilities.cardEntry !== 'account' || provisionAccount === undefined) return network
  return {
    ...network,
    provision: ({ cardId, entryId, stepUp }) => provisionAccount({ cardId, entryId, stepUp, account: true }),
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

export function many<T>(times: number, make: (index: number) => T): T[] {
  return Array.from({ length: times }, (_, index) => make(index))
}

/** Skips a test of what the network cannot, and says which of its capabilities that is. */
export function needs(context: TestContext, { subject }: Actor, ...[name, value]: Capability): void {
  const has = subject.network.capabilities[name]
  const isThere = Array.isArray(has) ? has.some((one) => one === value) : has === value
  if (!isThere) context.skip(`The network cannot: ${name} is ${JSON.stringify(has)}, not ${JSON.stringify(value)}.`)
}

type Capability = {
  [Name in keyof NetworkCapabilities]: [
    Name,
    NetworkCapabilities[Name] extends readonly (infer One)[] ? One : NetworkCapabilities[Name],
  ]
}[keyof NetworkCapabilities]

/** A card that asks for a code. A network that has codes and no such card fails here. */
export function cardWithCode(context: TestContext, actor: Actor) {
  needs(context, actor, 'stepUps', 'code')
  const { stepUp } = actor.subject.testCards
  if (stepUp === undefined) throw new Error('The network asks for codes, and no card of it does so here.')
  return stepUp
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

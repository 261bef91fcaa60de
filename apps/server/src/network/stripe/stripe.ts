import type { Currency, Environment } from '@mintmark/contract'
import type { Pool } from 'pg'
import { bound } from '../../platform/bound.ts'
import type { Clock } from '../../platform/clock.ts'
import { declined } from '../answers.ts'
import type { CapableNetwork, NetworkCapabilities } from '../capabilities.ts'
import { guardNetwork } from '../guard.ts'
import { guardNetworkEvents } from '../guard-events.ts'
import type { NetworkAnswer } from '../port.ts'
import { readAccount } from './account.ts'
import { type CardholderFacts, createStripeApi } from './api.ts'
import type { StripeAccess } from './client.ts'
import type { StripeDeps } from './deps.ts'
import { confirm, release } from './ending.ts'
import { cancelInstruction, inquireInstruction, registerInstruction } from './instructions.ts'
import { checkKey } from './key.ts'
import { inquire, mint } from './minting.ts'
import { createStripeEvents, type StripeMessages } from './telling.ts'
import { deleteToken, inquireToken, provisionAccount } from './tokens.ts'

export interface StripeNetworkDeps {
  pool: Pool
  clock: Clock
  environment: Environment
  access: StripeAccess
  cardholder: CardholderFacts
  currency: Currency
  timeoutMillis: number
  /** How its messages are verified. */
  messages: StripeMessages
}

/**
 * Cards of the operator's own money, made by Stripe Issuing: one purchase, one virtual card. Stripe holds a card to its
 * amount, to one payment and to a country; the rest of the lock, and what a mandate limits, is held here at the mint.
 * Throws for a key of the other environment.
 */
export function createStripeNetwork(all: StripeNetworkDeps): CapableNetwork {
  const { access, environment, timeoutMillis, messages, ...given } = all
  checkKey(access.key, environment)
  const deps: StripeDeps = { ...given, api: createStripeApi(access) }
  const network = bound(deps, {
    provisionAccount,
    deleteToken,
    inquireToken,
    registerInstruction,
    cancelInstruction,
    inquireInstruction,
    mint,
    inquire,
    confirm,
    release,
  })
  return {
    ...guardNetwork({ ...network, ...NO_NUMBERS }, { timeoutMillis }),
    events: guardNetworkEvents(createStripeEvents(deps, messages), { timeoutMillis }),
    capabilities: capabilitiesOf(given),
    account: () => readAccount(deps),
  }
}

function capabilitiesOf({ currency }: Pick<StripeNetworkDeps, 'currency'>): NetworkCapabilities {
  return Object.freeze<NetworkCapabilities>({
    cardEntry: 'account',
    stepUps: [],
    verifiesCards: false,
    currencies: [currency],
    merchantLock: 'country',
    endsCredentials: false,
    observesOutcomes: true,
    capturesLater: true,
  })
}

/** No number of a person's card reaches Stripe from here: it is refused as it comes. */
const refuse = async (): Promise<NetworkAnswer<never>> => declined('CARD_NUMBER_INVALID')
const NO_NUMBERS = { provision: refuse, completeStepUp: refuse, sendNewCode: refuse, verifyCard: refuse }

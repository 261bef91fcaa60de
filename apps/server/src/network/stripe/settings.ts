import type { Environment } from '@mintmark/contract'
import { PUBLIC_AND_LOOPBACK, PUBLIC_ONLY } from '../../platform/egress/policy.ts'
import { secret } from '../../platform/secret.ts'
import { matching, oneOf, type Read, secretMatching } from '../../platform/settings.ts'
import type { CardholderFacts } from './api.ts'
import type { StripeAccess } from './client.ts'
import { KEY, keyProblem } from './key.ts'
import type { StripeNetworkDeps } from './stripe.ts'

const WORDS = {
  pattern: /^(?=.*[\p{L}\p{N}])[^\p{Cc}\p{Cf}\u2028\u2029]{1,100}$/u,
  rule: 'be 1 to 100 printable characters',
}
const ADDRESS = 'Where `NETWORK_ADAPTER` is `stripe`: the address of that business'

/** Rows of the settings, of which the adapter is made. */
export const STRIPE_SETTINGS = {
  stripeSecretKey: secretMatching('STRIPE_SECRET_KEY', {
    pattern: KEY,
    rule: 'be a secret or a restricted key: sk_… or rk_…',
    default: null,
    meaning:
      'The key of the account at Stripe whose balance pays, where `NETWORK_ADAPTER` is `stripe`. A sandbox takes keys of test mode only, production of live mode only. A restricted key may write Issuing, and read Events, Balance and Account.',
  }),
  stripeWebhookSecrets: secretMatching('STRIPE_WEBHOOK_SECRETS', {
    pattern: /^whsec_[A-Za-z0-9]{5,250}(?:,whsec_[A-Za-z0-9]{5,250})?$/,
    rule: 'be one secret of an endpoint, whsec_…, or two with a comma between',
    default: null,
    meaning:
      'What the messages to `/v1/network/stripe/events` are signed with; two while one is exchanged for the other. Absent: no message is taken, and what becomes of payments is heard by asking.',
  }),
  stripeCurrency: oneOf('STRIPE_CURRENCY', ['USD', 'EUR', 'GBP', 'CAD'], {
    default: 'USD',
    meaning: 'The currency of the balance that cards are paid from, and the only one that sessions may be in then.',
  }),
  stripeBusinessName: matching('STRIPE_BUSINESS_NAME', {
    ...{ pattern: /^(?=.*[\p{L}\p{N}])[^\p{Cc}\p{Cf}\u2028\u2029]{1,24}$/u, rule: 'be 1 to 24 printable characters' },
    default: null,
    meaning: 'Where `NETWORK_ADAPTER` is `stripe`: the business that holds all cards, as the account there has it.',
  }),
  stripeBusinessLine1: matching('STRIPE_BUSINESS_LINE1', {
    ...WORDS,
    default: null,
    meaning: `${ADDRESS}: the street.`,
  }),
  stripeBusinessCity: matching('STRIPE_BUSINESS_CITY', { ...WORDS, default: null, meaning: `${ADDRESS}: the city.` }),
  stripeBusinessPostalCode: matching('STRIPE_BUSINESS_POSTAL_CODE', {
    ...{ ...WORDS, default: null },
    meaning: `${ADDRESS}: the postal code.`,
  }),
  stripeBusinessCountry: matching('STRIPE_BUSINESS_COUNTRY', {
    ...{ pattern: /^[A-Z]{2}$/, rule: 'be two capital letters (ISO 3166-1)', default: null },
    meaning: `${ADDRESS}: the country.`,
  }),
  stripeBusinessState: matching('STRIPE_BUSINESS_STATE', {
    ...{ ...WORDS, default: null },
    meaning: `${ADDRESS}: the state, where its country has them.`,
  }),
  stripeApiUrl: matching('STRIPE_API_URL', {
    pattern: /^http:\/\/127\.0\.0\.1:\d{1,5}$/,
    rule: 'be http://127.0.0.1 with a port, and never set in production',
    default: null,
    meaning: 'For tests: where a stand-in for Stripe listens. Absent: Stripe itself.',
  }),
}
export type StripeSettings = Read<typeof STRIPE_SETTINGS>

const API_URL = 'https://api.stripe.com'
/** A page of a list is as long as this. */
const BODY_BYTES = 1_048_576

const NEEDED = {
  stripeSecretKey: STRIPE_SETTINGS.stripeSecretKey.variable,
  stripeBusinessName: STRIPE_SETTINGS.stripeBusinessName.variable,
  stripeBusinessLine1: STRIPE_SETTINGS.stripeBusinessLine1.variable,
  stripeBusinessCity: STRIPE_SETTINGS.stripeBusinessCity.variable,
  stripeBusinessPostalCode: STRIPE_SETTINGS.stripeBusinessPostalCode.variable,
  stripeBusinessCountry: STRIPE_SETTINGS.stripeBusinessCountry.variable,
} as const satisfies Partial<Record<keyof StripeSettings, string>>

/** What is wrong with them together, without a letter of a key; `isChosen`: the adapter is the one that runs. */
export function stripeProblems(settings: StripeSettings, environment: Environment, isChosen: boolean): string[] {
  const { stripeSecretKey: key, stripeApiUrl: apiUrl } = settings
  const problems = Object.entries(NEEDED)
    .filter(([name]) => isChosen && settings[name as keyof typeof NEEDED] === null)
    .map(([, variable]) => `${variable} is required where NETWORK_ADAPTER is stripe`)
  const kind = key === null || !KEY.test(key.reveal()) ? null : keyProblem(key, environment)
  if (isChosen && kind !== null) problems.push(`STRIPE_SECRET_KEY ${kind}`)
  if (apiUrl !== null && environment === 'production') problems.push('STRIPE_API_URL must not be set in production')
  return problems
}

type FromSettings = Pick<StripeNetworkDeps, 'access' | 'cardholder' | 'currency'> & {
  secrets: StripeNetworkDeps['messages']['secrets']
}

/** What the adapter is made with. The settings were found complete when they were read. */
export function stripeOf(settings: StripeSettings): FromSettings {
  const { stripeApiUrl: standIn, stripeSecretKey: key, stripeWebhookSecrets: secrets, stripeCurrency } = settings
  if (key === null) throw new Error('STRIPE_SECRET_KEY is missing.')
  const policy = { ...(standIn === null ? PUBLIC_ONLY : PUBLIC_AND_LOOPBACK), bodyBytes: BODY_BYTES }
  const access: StripeAccess = { key, apiUrl: standIn ?? API_URL, policy }
  return {
    access,
    cardholder: businessOf(settings),
    currency: stripeCurrency,
    secrets:
      secrets === null
        ? []
        : secrets
            .reveal()
            .split(',')
            .map((one) => secret(one)),
  }
}

function businessOf(settings: StripeSettings): CardholderFacts {
  const given = (name: keyof typeof NEEDED & `stripeBusiness${string}`): string => settings[name] ?? ''
  return {
    name: given('stripeBusinessName'),
    address: {
      line1: given('stripeBusinessLine1'),
      city: given('stripeBusinessCity'),
      postalCode: given('stripeBusinessPostalCode'),
      country: given('stripeBusinessCountry'),
      state: settings.stripeBusinessState,
    },
  }
}

import type { CardBrand } from '@mintmark/contract'
import { SANDBOX_STEP_UP_CODE } from '@mintmark/contract/surface'

/** What a test card makes the simulated network do. Each name is one script; `success` is the absence of one. */
export const BEHAVIOURS = [
  'success',
  'step_up',
  'bin_country_refused',
  'bin_issuer_refused',
  'cvv_mismatch',
  'card_declined',
  'provision_answer_lost',
  'device_binding_fails_once',
  'insufficient_funds',
  'do_not_honour',
  'instruction_refused',
  'instruction_answer_lost',
  'mint_declined',
  'mint_answer_lost',
  'mint_request_lost',
  'mint_hangs',
  'confirmation_fails_once',
  'confirmation_refused',
  'deletion_fails_once',
  'deletion_answer_lost',
  'release_fails_once',
  'release_answer_lost',
  'credential_expired',
] as const
export type Behaviour = (typeof BEHAVIOURS)[number]

export interface TestCard {
  number: string
  brand: CardBrand
  label: string
  behaviour: Behaviour
}

/** The code the simulated network "sends" to every cardholder it asks for one. */
export const STEP_UP_CODE = SANDBOX_STEP_UP_CODE

/** This CVV is wrong for every card. */
export const WRONG_CVV = '000'

/** Wrong step-up codes after which the card has to be entered again, under a new card id. */
export const STEP_UP_TRIES = 3

/**
 * The test cards, in the order the guide shows them. Any other number with a valid check digit behaves as `success`.
 * Numbers end as other sandboxes' do where those have a card of the same meaning, so that developers recognise them.
 */
export const TEST_CARDS: readonly TestCard[] = Object.freeze([
  card('4242424242424242', 'visa', 'Success', 'success'),
  card('5555555555554444', 'mastercard', 'Success', 'success'),
  card('378282246310005', 'amex', 'Success, CVV of four digits', 'success'),
  card('6011111111111117', 'discover', 'Success', 'success'),
  card('3056930009020004', 'diners', 'Success', 'success'),
  card('3566002020360505', 'jcb', 'Success', 'success'),
  card('6200000000000005', 'unionpay', 'Success', 'success'),
  card('4000000000003220', 'visa', 'Step-up: the network asks for a code', 'step_up'),
  card('4000000000000010', 'visa', 'Refused at enrollment: country of the card', 'bin_country_refused'),
  card('4000000000000028', 'visa', 'Refused at enrollment: issuer of the card', 'bin_issuer_refused'),
  card('4000000000000127', 'visa', 'Refused at enrollment: wrong CVV, whatever is entered', 'cvv_mismatch'),
  card('4000000000000002', 'visa', 'Refused at enrollment: card declined', 'card_declined'),
  card('4000000000000036', 'visa', 'Enrollment: the answer is lost once, the retry works', 'provision_answer_lost'),
  card(
    '4000000000000044',
    'visa',
    'Enrollment: device binding fails once, the retry works',
    'device_binding_fails_once',
  ),
  card('4000000000009995', 'visa', 'Acquirer: insufficient funds (51)', 'insufficient_funds'),
  card('4000000000000051', 'visa', 'Acquirer: do not honour (05)', 'do_not_honour'),
  card('4000000000000358', 'visa', 'Approval: the network registers no instruction', 'instruction_refused'),
  card('4000000000000366', 'visa', 'Approval: registered, but the answer is lost once', 'instruction_answer_lost'),
  card('4000000000000341', 'visa', 'Charge: the network declines the card', 'mint_declined'),
  card('4000000000000077', 'visa', 'Charge: minted, but the answer is lost once', 'mint_answer_lost'),
  card('4000000000000085', 'visa', 'Charge: the request is lost once, nothing is minted', 'mint_request_lost'),
  card('4000000000000093', 'visa', 'Charge: the network hangs, and mints after the time-out', 'mint_hangs'),
  card('4000000000000101', 'visa', 'Report: the connection breaks once, the retry works', 'confirmation_fails_once'),
  card('4000000000000135', 'visa', 'Report: the network refuses the confirmation', 'confirmation_refused'),
  card('4000000000000143', 'visa', 'Deletion: the connection breaks once, the retry works', 'deletion_fails_once'),
  card('4000000000000150', 'visa', 'Deletion: done, but the answer is lost once', 'deletion_answer_lost'),
  card('4000000000000168', 'visa', 'Lapse: the connection breaks once, the retry works', 'release_fails_once'),
  card('4000000000000176', 'visa', 'Lapse: carried out, but the answer is lost once', 'release_answer_lost'),
  card('4000000000000069', 'visa', 'Acquirer: the credential is expired at once (54)', 'credential_expired'),
])

const SCRIPTS: ReadonlyMap<string, Behaviour> = new Map(TEST_CARDS.map((known) => [known.number, known.behaviour]))

/** The script a card number follows. */
export function behaviourOf(cardNumber: string): Behaviour {
  return SCRIPTS.get(cardNumber) ?? 'success'
}

function card(number: string, brand: CardBrand, label: string, behaviour: Behaviour): TestCard {
  return Object.freeze({ number, brand, label, behaviour })
}

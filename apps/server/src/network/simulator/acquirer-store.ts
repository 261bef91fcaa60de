import { CURRENCIES } from '@mintmark/contract'
import { bigint, columns, oneOf, type RowOf, text } from '../../db/row.ts'
import { execute, one } from '../../db/statement.ts'
import { originList } from '../../platform/states.ts'
import { CREDENTIAL } from './mint-store.ts'
import { CREDENTIAL_STATES, CREDENTIAL_TRANSITIONS } from './states.ts'
import { BEHAVIOURS } from './test-cards.ts'

// The acquirer's side of the simulated network: what becomes of a credential, and every attempt to pay with one.

/** What the acquirer judges a presented number by. */
const JUDGED = {
  ...CREDENTIAL,
  credentialState: oneOf(CREDENTIAL_STATES),
  currency: oneOf(CURRENCIES),
  amountMinor: bigint,
  merchantHost: text,
}
const PRESENTED = { ...JUDGED, behaviour: oneOf(BEHAVIOURS) }
export type Presented = RowOf<typeof PRESENTED>

/** Attempts on one credential are judged one after the other. */
export const lockCredential = one(
  'simnet.lock_credential',
  `select ${columns(JUDGED, 'm')}, t.behaviour
   from simnet.mints m
     join simnet.instructions i on i.mandate_id = m.mandate_id
     join simnet.tokens t on t.token_ref = i.token_ref
   where m.number_lookup = $numberLookup
   for update of m`,
  PRESENTED,
)

/** Single use: the caller that moves it from open is approved, and no other. */
export const claimCredential = execute(
  'simnet.claim_credential',
  `update simnet.mints set credential_state = 'used'
   where charge_id = $chargeId and credential_state in (${originList(CREDENTIAL_TRANSITIONS, 'used')})
     and valid_until > $at`,
)

/** Counts a wrong CVV and blocks at the last try in one statement, so parallel guesses share the tries. */
export const updateWrongCvv = execute(
  'simnet.update_wrong_cvv',
  `update simnet.mints set wrong_cvv_count = wrong_cvv_count + 1,
     credential_state = case when wrong_cvv_count + 1 >= $tries then 'blocked' else credential_state end
   where charge_id = $chargeId and credential_state in (${originList(CREDENTIAL_TRANSITIONS, 'blocked')})
     and wrong_cvv_count < $tries`,
)

/** Every attempt is kept. A second approval of one credential would violate `authorizations_approved_charge_id_key`. */
export const insertAuthorization = execute(
  'simnet.insert_authorization',
  `insert into simnet.authorizations (authorization_id, charge_id, currency, amount_minor, merchant_host, response_code,
     authorization_code, attempted_at)
   values ($authorizationId, $chargeId, $currency, $amountMinor, $merchantHost, $responseCode, $authorizationCode,
     $at)`,
)

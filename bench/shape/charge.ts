import * as answers from '../lean/answers.ts'
import { CREDENTIAL, minorIn } from '../lean/answers.ts'
import { checkKey, checkSeal, MERCHANT, newId, sealOf, sealValue } from '../lean/crypto.ts'
import type { Database } from '../lean/database.ts'
import { type Asked, type Handlers, Refused } from '../lean/http.ts'
import { LEASE_MILLIS } from './approval.ts'
import type { Shape } from './journey.ts'

const CAP = 999_999_999_999n
const CUSTOMER = 'cus_owner'
const CARD = 'crd_owner'
const TOKEN = 'ntk_owner'

/** A merchant, a customer with a card, and mandates of theirs to charge. */
const FILL = [
  `insert into merchants (id, status, network_profile) values ($1, 'active', 'profile')`,
  `insert into customers (merchant_id, id, external_user_id, email, created_at, updated_at) values ($1, $2, 'owner', 'o@example.com', now(), now())`,
  `insert into cards (merchant_id, id, customer_id, fingerprint, entry_seal, last4, exp_month, exp_year, status, network_token_ref, seal,
     created_at, updated_at, accepted_at) values ($1, $3, $2, '\\x00', '\\x00', '4242', 12, 2099, 'active', $4, $5, now(), now(), now())`,
  `insert into mandates (merchant_id, id, customer_id, card_id, status, frequency, merchant_scope, approved_minor, currency, payee_url,
     details, valid_until, seal, instruction_ref, window_started_at, window_ends_at, created_at, updated_at)
   select $1, id, $2, $3, 'active', 'yearly', 'listed', $4, 'USD', 'https://tea.example', '{"order_id": "ord_1"}',
     now() + interval '1 year', seal, 'ins_1', now(), now() + interval '1 year', now(), now() from unnest($5::text[], $6::bytea[]) m (id, seal)`,
] as const

export async function fillShape({ pool }: Database, mandates: readonly string[]): Promise<void> {
  await pool.query(FILL[0], [MERCHANT])
  await pool.query(FILL[1], [MERCHANT, CUSTOMER])
  await pool.query(FILL[2], [MERCHANT, CUSTOMER, CARD, TOKEN, sealOf('cards', CARD, CUSTOMER, TOKEN, '4242')])
  const seals = mandates.map((id) => sealOf('mandates', id, CAP))
  await pool.query(FILL[3], [MERCHANT, CUSTOMER, CARD, CAP, mandates, seals])
}

export const shapeChargeHandlers = (shape: Shape): Handlers => ({
  'POST /v1/mandates/:id/charge': (asked) => charge(shape, asked),
})

async function charge({ database, wake }: Shape, { bearer, body, id: mandate }: Asked) {
  checkKey(bearer)
  const [amount, { reference }] = [minorIn(body.amount), body]
  if (typeof reference !== 'string' || reference.length > 255) throw new Refused(400, 'reference')
  const [id, now] = [newId('txn_'), new Date()]
  const until = new Date(now.getTime() + LEASE_MILLIS)
  const own = [id, now, amount, reference, sealOf('charges', id, mandate, reference, amount), until, null, 1_440, []]
  const [row] = await database.run('open', [MERCHANT, mandate, ...own])
  if (row === undefined) throw new Refused(409, 'limit')
  const [cap, seal, , , token, cardSeal] = row as [bigint, Buffer, string, string, string, Buffer]
  checkSeal(seal, 'mandates', mandate, cap)
  checkSeal(cardSeal, 'cards', CARD, CUSTOMER, token, '4242')
  const sealed = sealValue(JSON.stringify(CREDENTIAL), id)
  const data = JSON.stringify({ charge_id: id, mandate_id: mandate, reference, amount: body.amount })
  const event = [newId('evt_'), 'charge.credentials_ready', 2, data]
  const lapses = new Date(now.getTime() + 86_400_000)
  const minted = [MERCHANT, id, 1, sealed, 'key_1', lapses, null, new Date(), ...event]
  if ((await database.run('mintedStanding', minted)).length === 0) throw new Refused(409, 'lost')
  wake()
  return answers.charged(id, String(body.amount), CREDENTIAL)
}

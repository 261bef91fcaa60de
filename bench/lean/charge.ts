import * as answers from './answers.ts'
import { CREDENTIAL, minorIn } from './answers.ts'
import { checkKey, checkSeal, MERCHANT, newId, sealOf, sealValue } from './crypto.ts'
import type { Database } from './database.ts'
import { type Asked, type Handlers, Refused } from './http.ts'
import { FILL } from './statements.ts'

const CAP = 999_999_999_999n

export const chargeHandlers = (database: Database): Handlers => ({
  'POST /v1/mandates/:id/charge': (asked) => charge(database, asked),
})

/** Numbered from 1, as the caller names them. */
export async function fillMandates({ pool }: Database, ids: readonly string[]): Promise<void> {
  const seals = ids.map((id) => sealOf('mandates', id, CAP))
  await pool.query(FILL, [MERCHANT, ids, seals, CAP])
}

async function charge(database: Database, { bearer, body, id: mandate }: Asked) {
  checkKey(bearer)
  const [amount, { reference }] = [minorIn(body.amount), body]
  if (typeof reference !== 'string' || reference.length > 255) throw new Refused(400, 'reference')
  const [id, now] = [newId('txn_'), new Date()]
  const sealed = sealOf('charges', id, mandate, amount)
  const [row] = await database.run('open', [MERCHANT, id, mandate, amount, reference, sealed, now])
  const [cap, seal] = (row ?? []) as [bigint, Buffer]
  if (row === undefined) throw new Refused(409, 'limit')
  checkSeal(seal, 'mandates', mandate, cap)
  const credential = sealValue(JSON.stringify(CREDENTIAL), id)
  const event = JSON.stringify({ charge_id: id, mandate_id: mandate, amount: body.amount })
  await database.run('opened', [MERCHANT, id, newId('evt_'), event, now, credential])
  return answers.charged(id, String(body.amount), CREDENTIAL)
}

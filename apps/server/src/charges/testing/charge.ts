import { expect } from 'vitest'
import { authorization, dbRow, networkOf } from '../../../test/flows.ts'
import { type Answer, call, jsonRequest, type TestMerchant, type TestService } from '../../../test/service.ts'
import { type Owner, type StandingTerms, standingMandate } from '../../mandates/testing/standing.ts'

// Standing mandates that the network knows, for tests of charges.

/** A standing mandate that can be charged: its instruction is registered, with the same terms. */
export async function chargeable(
  service: TestService,
  owner: Owner,
  terms: StandingTerms & { scope?: 'any' | 'listed' } = {},
): Promise<string> {
  const id = await standingMandate(service, owner, terms)
  const row = await dbRow(
    service,
    `select m.*, c.network_token_ref from mandates m join cards c on c.id = m.card_id where m.id = $1`,
    [id],
  )
  const registered = await networkOf(service).registerInstruction({
    mandateId: id,
    tokenRef: row.network_token_ref,
    cap: { minor: BigInt(row.approved_minor), currency: row.currency },
    frequency: row.frequency,
    maxCharges: row.max_charges,
    merchant: { name: row.payee_network_name, url: row.payee_url, country: row.payee_country },
    validUntil: row.valid_until,
    approvalHash: row.approval_hash,
  })
  if (registered.outcome !== 'ok') throw new Error(`The instruction was not registered: ${registered.outcome}.`)
  await service.pool.query('update mandates set instruction_ref = $2 where id = $1', [
    id,
    registered.value.instructionRef,
  ])
  return id
}

export const charge = (merchant: TestMerchant, mandateId: string, body: Record<string, unknown> = {}, query = '') =>
  merchant.post(`/v1/mandates/${mandateId}/charge${query}`, { amount: '25.00', ...body })

/** The part of a charge that says how long its credential lives. */
export const livingFor = (effective_until_minutes: number) => ({
  purchase_context: [{ product_details: [{ description: 'Tea', unit_price: '1.00' }], effective_until_minutes }],
})

/** Pays with the credential of a charge at the sandbox's acquirer. */
export async function spend(service: TestService, merchant: TestMerchant, made: Answer): Promise<Answer> {
  const { transactionId, credentials, amount } = made.body
  const { token, dynamicCvv: dynamic_cvv, expiryMonth: expiry_month, expiryYear: expiry_year } = credentials
  const { payee_url: merchant_url } = await dbRow(service, 'select payee_url from charges where id = $1', [
    transactionId,
  ])
  const item = { token, dynamic_cvv, expiry_month, expiry_year, total_amount: amount, merchant_url }
  return merchant.post('/v1/test_helpers/authorizations', authorization(item))
}

export const reportCharge = (
  merchant: TestMerchant,
  mandateId: string,
  txnId: string,
  txn_status: 'APPROVED' | 'DECLINED' = 'APPROVED',
  body: Record<string, unknown> = {},
) => merchant.post(`/v1/mandates/${mandateId}/charges/${txnId}/report`, { txn_status, txn_type: 'PURCHASE', ...body })

/** What a mandate and the simulated network say of its charges; the two must agree once nothing is open. */
export async function tally(service: TestService, mandateId: string) {
  const { spent, count, network_spent, network_count, sum, live, held_references, live_references } = await dbRow(
    service,
    `select m.window_spent_minor::int as spent, m.charge_count as count,
       coalesce((select spent_minor::int from simnet.windows w where w.mandate_id = m.id order by started_at desc limit 1), 0) as network_spent,
       coalesce((select i.charge_count from simnet.instructions i where i.mandate_id = m.id), 0) as network_count,
       coalesce((select sum(amount_minor)::int from charges c where c.standing_mandate_id = m.id and c.status <> 'failed'
         and c.window_started_at = m.window_started_at), 0) as sum,
       (select count(*)::int from charges c where c.standing_mandate_id = m.id and c.status <> 'failed') as live,
       (select count(*)::int from charges c where c.standing_mandate_id = m.id and c.reference is not null and not c.reference_freed)
         as held_references,
       (select count(*)::int from charges c where c.standing_mandate_id = m.id and c.status <> 'failed'
         and c.reference is not null) as live_references
     from mandates m where m.id = $1`,
    [mandateId],
  )
  return {
    service: { spent, count },
    charges: { spent: sum, count: live },
    network: { spent: network_spent, count: network_count },
    references: { held: held_references, live: live_references },
  }
}

/** Nothing was lost, made twice or left over: mandate, charges and network agree. */
export async function expectBalanced(service: TestService, mandateId: string) {
  const { service: own, charges, network, references } = await tally(service, mandateId)
  expect({ charges, network }).toEqual({ charges: own, network: own })
  expect(references.held).toBe(references.live)
  return own
}

/** The codes and statuses of answers, in one word each. */
export function outcomeOf({ status, body }: Answer): string {
  if (status !== 200) return body.error.code
  if (body.status === 'failed') return body.errorCode
  return body.deduplicated ? 'deduplicated' : body.status
}

/** The same merchant as it calls each of several nodes over one database. */
export function onNodes(merchant: TestMerchant, nodes: readonly TestService[]): TestMerchant[] {
  const authorization = `Bearer ${merchant.secretKey}`
  return nodes.map(({ apiUrl }) => ({
    ...merchant,
    get: (path) => call(apiUrl + path, { headers: { authorization } }),
    post: (path, body) => call(apiUrl + path, jsonRequest(authorization, body)),
  }))
}

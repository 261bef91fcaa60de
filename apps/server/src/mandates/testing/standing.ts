import type { ChargeStatus, MandateStatus, RecurringFrequency } from '@mintmark/contract'
import { approvedSession, CARDS, dbRow, newUser, report } from '../../../test/flows.ts'
import { startTestService, TEST_ROOT_KEY, type TestMerchant, type TestService } from '../../../test/service.ts'
import { chargeLimit, windowAt } from '../../network/windows.ts'
import { addSeconds } from '../../platform/clock.ts'
import { newId, newOrderedId } from '../../platform/ids.ts'
import { deriveKeys } from '../../platform/keys.ts'
import { createLog } from '../../platform/log.ts'
import { createRowSeals } from '../../platform/row-seals.ts'
import { sealedMandate, sealedOwner } from '../service.ts'

// Standing mandates and their charges as rows, for tests of what needs neither their setup nor their charge. They are made
// of the rows of a checkout, so that a new column of either table needs no change here.

/** A customer with an active card, whose one purchase is paid. */
export interface Owner {
  merchant: TestMerchant
  userId: string
  customerId: string
  /** Mandate and charge of the checkout: the rows that others are made of. */
  mandateId: string
  chargeId: string
}

export async function newOwner(
  service: TestService,
  merchant = service.merchant,
  card: string = CARDS.success,
): Promise<Owner> {
  const userId = newUser()
  const { id, item } = await approvedSession(merchant, card, { user_id: userId })
  await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })
  const row = await dbRow(
    service,
    `select m.customer_id, m.id as mandate_id, c.id as charge_id from charges c join mandates m on m.id = c.mandate_id
     where c.opened_by = $1`,
    [id],
  )
  return { merchant, userId, customerId: row.customer_id, mandateId: row.mandate_id, chargeId: row.charge_id }
}

/** A service with an owner of its merchant, for the tests of a file, which closes it. */
export async function startWithOwner(options?: Parameters<typeof startTestService>[0]) {
  const service = await startTestService(options)
  const { merchant, close } = service
  return { service, merchant, owner: await newOwner(service), close }
}

export interface StandingTerms {
  status?: MandateStatus
  frequency?: RecurringFrequency
  approvedMinor?: bigint
  maxCharges?: number | null
  /** Where the windows begin. */
  activatedAt?: Date
  validUntil?: Date
  agentId?: string | null
}

/** An active standing mandate of 100.00 a month without an end in sight, unless told otherwise; sealed as one is. */
export async function standingMandate(service: TestService, owner: Owner, terms: StandingTerms = {}): Promise<string> {
  const { merchantId } = owner.merchant
  const at = terms.activatedAt ?? service.clock.now()
  const { frequency = 'monthly', status = 'active', approvedMinor = 10_000n, agentId = null } = terms
  const maxCharges = chargeLimit(frequency, terms.maxCharges ?? null)
  const validUntil = terms.validUntil ?? addSeconds(service.clock.now(), 5 * 366 * 86_400)
  const id = newOrderedId('mandate', at)
  const template = await dbRow(
    service,
    `select m.*, c.network_token_ref from mandates m join cards c on c.id = m.card_id where m.id = $1`,
    [owner.mandateId],
  )
  const seals = createRowSeals({ key: deriveKeys(TEST_ROOT_KEY).rowSeals, log: createLog({ level: 'silent' }) })
  const seal = seals.seal(
    sealedMandate({
      ...{ merchantId, id, customerId: owner.customerId, approvedMinor, frequency, maxCharges, validUntil },
      tokenRef: template.network_token_ref,
      currency: template.currency,
      merchantScope: 'listed',
      payeeName: template.payee_name,
      payeeNetworkName: template.payee_network_name,
      payeeUrl: template.payee_url,
      payeeCountry: template.payee_country,
      approvalHash: template.approval_hash,
    }),
  )
  const ownerSeal = seals.seal(
    sealedOwner({ merchantId, id, externalUserId: owner.userId, customerId: owner.customerId, agentId }),
  )
  const window = windowAt(frequency, at, at)
  const isLive = status === 'active' || status === 'paused'
  await copyRow(service, 'mandates', owner.mandateId, {
    ...{ id, per_checkout: false, status, frequency, approved_minor: String(approvedMinor), max_charges: maxCharges },
    valid_until: validUntil,
    agent_id: agentId,
    order_id: newId('order'),
    charge_id: null,
    seal: `\\x${seal.toString('hex')}`,
    owner_seal: `\\x${ownerSeal.toString('hex')}`,
    window_started_at: status === 'pending' ? null : window.startsAt,
    window_ends_at: status === 'pending' ? null : window.endsAt,
    created_at: at,
    activated_at: status === 'pending' ? null : at,
    ended_at: isLive || status === 'pending' ? null : at,
  })
  // As its activation must: time will end it.
  if (isLive) {
    await service.pool.query(
      `insert into open_work (merchant_id, kind, id, due_at, attempts, lease_fence) values ($1, 'mandate', $2, $3, 0, 1)`,
      [merchantId, id, validUntil],
    )
  }
  return id
}

/** A row like another one of its table, with some columns changed. Names that are no column are ignored. */
async function copyRow(service: TestService, table: 'mandates' | 'charges', id: string, changes: object) {
  await service.pool.query(
    `insert into ${table} select (jsonb_populate_record(t, $2::jsonb)).* from ${table} t where t.id = $1`,
    [id, JSON.stringify(changes)],
  )
}

const WAITING: readonly ChargeStatus[] = ['minting', 'awaiting_result']

interface ChargeFacts {
  status?: ChargeStatus
  amountMinor?: bigint
  reference?: string | null
  at?: Date
}

/** A charge as it is when the network was asked, or later; the counters of its mandate are left alone. */
export async function chargeRow(service: TestService, owner: Owner, mandateId: string, facts: ChargeFacts = {}) {
  const { status = 'awaiting_result', amountMinor = 2_500n, reference = null, at = service.clock.now() } = facts
  const id = newId('charge')
  await copyRow(service, 'charges', owner.chargeId, {
    ...{
      id,
      line_item_id: newId('lineItem'),
      order_id: newId('order'),
      opened_by: null,
      mandate_id: mandateId,
      standing_mandate_id: mandateId,
    },
    ...{ status, amount_minor: String(amountMinor), reference, created_at: at, updated_at: at },
    // No worker comes to one that waits.
    ...(WAITING.includes(status) ? { work_due_at: '2200-01-01', attempts: 0 } : { work_due_at: null, attempts: null }),
    lease_until: null,
    failure_code: status === 'failed' ? 'PAYMENT_DECLINED' : null,
    reported_outcome: status === 'completed' ? 'APPROVED' : null,
    network_confirmation: status === 'completed' ? 'SUCCESS' : null,
  })
  return id
}

/**
 * Takes an amount of a mandate's current window the way that a charge must: one statement that takes or does not, after the
 * row was moved to the window of this moment if the one it knows is over. Returns the charge, or null when it does not fit.
 */
export async function takeCharge(service: TestService, owner: Owner, mandateId: string, facts: ChargeFacts = {}) {
  const { amountMinor = 2_500n } = facts
  const at = service.clock.now()
  const mandate = await dbRow(service, 'select frequency, activated_at from mandates where id = $1', [mandateId])
  const window = windowAt(mandate.frequency, mandate.activated_at, at)
  const values = [mandateId, at, amountMinor, window.startsAt, window.endsAt]
  const { rowCount } = await service.pool.query(
    `update mandates set charge_count = charge_count + 1, updated_at = $2, window_started_at = $4, window_ends_at = $5,
       window_spent_minor = case when window_started_at = $4 then window_spent_minor else 0 end + $3
     where id = $1 and status = 'active' and valid_until > $2 and (max_charges is null or charge_count < max_charges)
       and case when window_started_at = $4 then window_spent_minor else 0 end + $3 <= approved_minor`,
    values,
  )
  if (rowCount === 0) return null
  const id = await chargeRow(service, owner, mandateId, { ...facts, at })
  await service.pool.query('update charges set window_started_at = $2 where id = $1', [id, window.startsAt])
  return id
}

/** Gives a charge's amount back to the window that it was taken from, if that is still the one its mandate knows. */
export async function giveBack(service: TestService, mandateId: string, chargeId: string): Promise<void> {
  await service.pool.query(
    `update mandates set charge_count = charge_count - 1, window_spent_minor = window_spent_minor
       - case when mandates.window_started_at = c.window_started_at then c.amount_minor else 0 end
     from charges c where mandates.id = $1 and c.id = $2`,
    [mandateId, chargeId],
  )
}

import { MAX_ON_A_PAGE, TRANSACTION_STATUS_OF } from '@mintmark/contract'
import type {
  DashboardQuery,
  ListMandatesQuery,
  Mandate,
  MandateDetail,
  MandateList,
} from '@mintmark/contract/wire/mandates'
import { fieldErrors } from '../platform/errors.ts'
import { isOrderedId } from '../platform/ids.ts'
import { amountFromMinor } from '../platform/money.ts'
import type { ListedCharge } from './charge-fragments.ts'
import type { MandateCaller } from './credential.ts'
import { chargingForbidden, dashboardForbidden } from './errors.ts'
import type { MandateFilter, MandatePage, MandateScope, MandateWithCharges, ShownMandate } from './read.ts'

/**
 * Whose mandates a call is about: all of a merchant, or those of one user of a dashboard. A merchant key that names a user is
 * refused, so that its holder does not believe it was narrowed; a control-plane key that names none is, so that none sees everything.
 */
export function fromWireScope(caller: MandateCaller, query: DashboardQuery): MandateScope {
  const { dashboard_user_id: user, agent_id: agentId } = query
  if ('agentId' in caller) {
    if (user !== undefined || agentId !== undefined) throw dashboardForbidden()
    return { merchantId: caller.merchantId, ownerId: caller.customerId, agentId: caller.agentId }
  }
  const { merchantId, role } = caller
  if (role === 'merchant') {
    if (user !== undefined || agentId !== undefined) throw dashboardForbidden()
    return { merchantId }
  }
  if (user === undefined) throw fieldErrors({ dashboard_user_id: 'is required with a control-plane key' })
  return { merchantId, user, agentId }
}

/** A caller that charges and reports gets, and ends, credentials: a dashboard is for looking and stopping. */
export function fromWireChargingScope(caller: MandateCaller, query: DashboardQuery): MandateScope {
  if ('role' in caller && caller.role === 'control_plane') throw chargingForbidden()
  return fromWireScope(caller, query)
}

export function fromWireFilter(caller: MandateCaller, query: ListMandatesQuery): MandateFilter {
  return {
    ...fromWireScope(caller, query),
    customer: fromWireCustomer(caller, query.customer_id),
    standingOnly: query.standing_only === 'true',
    before: query.cursor === undefined ? undefined : fromWireCursor(query.cursor),
    limit: query.limit === undefined ? MAX_ON_A_PAGE : Number(query.limit),
  }
}

/** An agent has one owner: it has no user of any other name. */
function fromWireCustomer(caller: MandateCaller, name: string | undefined): string | undefined {
  return 'owner' in caller && name === caller.owner ? undefined : name
}

/** The last mandate of a page. Encoded, so that no caller builds on what is in it. */
function toWireCursor(id: string): string {
  return Buffer.from(id, 'utf8').toString('base64url')
}

function fromWireCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString('utf8')
  if (!isOrderedId('mandate', id) || toWireCursor(id) !== cursor) {
    throw fieldErrors({ cursor: 'must be the next_cursor of the page before' })
  }
  return id
}

export function toWireList({ mandates, before }: MandatePage, caller: MandateCaller): MandateList {
  const next = before === null ? {} : { next_cursor: toWireCursor(before) }
  return { mandates: mandates.map((mandate) => toWireMandate(mandate, caller)), ...next }
}

/** An agent reads of its owner the name that no other agent sees, and no other name. */
export function toWireMandate(mandate: ShownMandate, caller: MandateCaller): Mandate {
  const owner = 'owner' in caller ? caller.owner : null
  return {
    id: mandate.id,
    agentId: mandate.agentId,
    customerId: owner ?? mandate.customerId,
    externalUserId: owner ?? mandate.externalUserId,
    state: mandate.state,
    status: mandate.status,
    recurringFrequency: mandate.frequency,
    merchantScope: mandate.merchantScope,
    merchantName: mandate.payeeName,
    approvedAmount: amountFromMinor(mandate.approvedMinor),
    remaining: amountFromMinor(mandate.remainingMinor),
    currency: mandate.currency,
    validUntil: hasEnd(mandate) ? mandate.validUntil.toISOString() : null,
    renewsAt: mandate.renewsAt?.toISOString() ?? null,
    lastCharge: toWireLastCharge(mandate),
    createdAt: mandate.createdAt.toISOString(),
    updatedAt: mandate.changedAt.toISOString(),
  }
}

/** That of a one-time mandate is counted from its approval. */
function hasEnd({ perCheckout, frequency, isApproved }: ShownMandate): boolean {
  return perCheckout || frequency !== 'one_time' || isApproved
}

function toWireLastCharge({ lastChargeStatus: status, lastChargeAt: at }: ShownMandate): Mandate['lastCharge'] {
  return status === null || at === null ? null : { status: TRANSACTION_STATUS_OF[status], at: at.toISOString() }
}

export function toWireDetail(mandate: MandateWithCharges, caller: MandateCaller): MandateDetail {
  return {
    ...toWireMandate(mandate, caller),
    spent: amountFromMinor(mandate.spentMinor),
    chargeCount: mandate.chargeCount,
    charges: mandate.listedCharges.map(toWireCharge),
  }
}

function toWireCharge(charge: ListedCharge): MandateDetail['charges'][number] {
  return {
    transactionId: charge.id,
    amount: amountFromMinor(BigInt(charge.amount_minor)),
    currency: charge.currency,
    status: TRANSACTION_STATUS_OF[charge.status],
    reference: charge.reference,
    createdAt: new Date(charge.created_at).toISOString(),
  }
}

import type {
  ConsolePermission,
  ConsolePermissions,
  ConsolePermissionView,
} from '@mintmark/contract/wire/console-permissions'
import type { ReadPermission } from '../../console/service.ts'
import type { MandatePage, ShownMandate } from '../../mandates/service.ts'
import { hasEnd } from '../../mandates/wire.ts'
import { amountFromMinor } from '../../platform/money.ts'
import { shownName, toWirePayment } from './wire.ts'

function toWirePermission(mandate: ShownMandate): ConsolePermission {
  const { id, state, status, frequency, merchantScope, chargeCount, maxCharges, isApproved } = mandate
  return {
    ...{ mandate_id: id, state, status, frequency, merchant_scope: merchantScope, merchant: mandate.payeeName },
    ...{ customer: shownName(mandate.externalUserId), agent_id: mandate.agentId },
    amount: amountFromMinor(mandate.approvedMinor),
    spent: amountFromMinor(mandate.spentMinor),
    left: amountFromMinor(mandate.remainingMinor),
    ...{ currency: mandate.currency, charge_count: chargeCount, max_charges: maxCharges },
    renews_at: mandate.renewsAt?.toISOString() ?? null,
    valid_until: hasEnd(mandate) ? mandate.validUntil.toISOString() : null,
    ended_at: mandate.endedAt?.toISOString() ?? null,
    ...{ is_approved: isApproved, created_at: mandate.createdAt.toISOString() },
  }
}

export const toWirePermissions = ({ mandates, before }: MandatePage): ConsolePermissions => ({
  permissions: mandates.map(toWirePermission),
  next_before: before,
})

export function toWirePermissionView({
  mandate,
  heldMinor,
  sentence,
  payments,
}: ReadPermission): ConsolePermissionView {
  return {
    permission: toWirePermission(mandate),
    used: amountFromMinor(mandate.spentMinor - heldMinor),
    held: amountFromMinor(heldMinor),
    sentence: sentence && { text: sentence.text, locale: sentence.language },
    payments: payments.map(toWirePayment),
  }
}

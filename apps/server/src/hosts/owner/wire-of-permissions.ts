import type { OwnerCards, OwnerPermission } from '@mintmark/contract/wire/owner-permissions'
import type { OwnedCard, OwnedPermission } from '../../owners/service.ts'
import { amountFromMinor } from '../../platform/money.ts'

export function toWirePermission({ mandate, agentName }: OwnedPermission): OwnerPermission {
  const { id, agentId, payeeName, payeeUrl, merchantScope, frequency, approvedMinor, currency, maxCharges } = mandate
  const { spentMinor, remainingMinor, renewsAt, state, chargeCount, createdAt, validUntil, endedAt } = mandate
  const isOver = state === 'expired' && endedAt === null
  return {
    ...{ mandate_id: id, agent_id: agentId, agent: agentName, merchant_name: payeeName },
    ...{ merchant_host: new URL(payeeUrl).hostname, merchant_scope: merchantScope, frequency, currency, state },
    ...{ amount: amountFromMinor(approvedMinor), spent: amountFromMinor(spentMinor) },
    ...{ left: amountFromMinor(remainingMinor), renews_at: renewsAt?.toISOString() ?? null },
    ...{ charges: chargeCount, max_charges: maxCharges, created_at: createdAt.toISOString() },
    valid_until: validUntil.toISOString(),
    ended_at: (isOver ? validUntil : endedAt)?.toISOString() ?? null,
  }
}

export function toWireCards(found: readonly OwnedCard[]): OwnerCards {
  const cards = found.map(({ card, permissions }) => ({
    ...{ card_id: card.id, brand: card.brand, last4: card.last4, exp_month: card.expMonth, exp_year: card.expYear },
    status: card.status === 'deleted' ? ('deleted' as const) : ('active' as const),
    ...{ is_default: card.isDefault, added_at: card.acceptedAt.toISOString() },
    permissions: permissions.map(toWirePermission),
  }))
  return { cards }
}

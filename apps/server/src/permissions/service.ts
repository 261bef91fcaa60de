import type { Permission, PermissionsView, Visit } from '@mintmark/contract/wire/permissions'
import type { ShownMandate } from '../mandates/service.ts'
import { bound } from '../platform/bound.ts'
import { notFound } from '../platform/errors.ts'
import { amountFromMinor } from '../platform/money.ts'
import type { PermissionDeps } from './deps.ts'
import { resume, resumeOptions } from './resume.ts'
import type { Visitor } from './token.ts'
import { signIn, signInOptions } from './visit.ts'

export { VISIT_SECONDS } from './visit.ts'

/** No cardholder reads more; the newest of them are those that may still be charged. */
const MAX_SHOWN = 50

async function enter(
  deps: PermissionDeps,
  asked: { merchantId: string; visit: string; response: unknown },
): Promise<Visit> {
  const { token, visitor } = await signIn(deps, asked)
  return { token, view: await view(deps, visitor) }
}

/** What a cardholder has allowed this account to charge again and again. */
async function view(deps: PermissionDeps, { merchantId, customerId, expiresAt }: Visitor): Promise<PermissionsView> {
  const { clock, environment, operator, merchants, mandates } = deps
  const [account, page] = await Promise.all([
    merchants.findMerchant(merchantId),
    mandates.list({ merchantId, customer: customerId, standingOnly: true, limit: MAX_SHOWN }),
  ])
  if (account === undefined) throw notFound()
  return {
    operator,
    merchant: { name: account.name },
    environment,
    now: clock.now().toISOString(),
    expires_at: expiresAt.toISOString(),
    permissions: page.mandates.filter(wasAllowed).map(toWire),
    more: page.before !== null,
  }
}

/** What was only asked for is none. */
function wasAllowed({ activatedAt }: ShownMandate): boolean {
  return activatedAt !== null
}

function toWire(mandate: ShownMandate): Permission {
  return {
    mandate_id: mandate.id,
    merchant_name: mandate.payeeName,
    merchant_url: mandate.payeeUrl,
    status: mandate.status,
    amount: amountFromMinor(mandate.approvedMinor),
    remaining: amountFromMinor(mandate.remainingMinor),
    spent: amountFromMinor(mandate.spentMinor),
    currency: mandate.currency,
    recurring_frequency: mandate.frequency,
    merchant_scope: mandate.merchantScope,
    max_charges: mandate.maxCharges,
    charge_count: mandate.chargeCount,
    renews_at: mandate.renewsAt?.toISOString() ?? null,
    valid_until: mandate.validUntil.toISOString(),
    allowed_at: (mandate.activatedAt ?? mandate.createdAt).toISOString(),
    ended_at: mandate.endedAt?.toISOString() ?? null,
  }
}

/**
 * Narrowing is one press, and holds on every node at once. Only what is the visitor's own: another's is
 * `MANDATE_FORBIDDEN`.
 */
async function pause(deps: PermissionDeps, visitor: Visitor, mandateId: string): Promise<PermissionsView> {
  await deps.mandates.pause(scopeOf(visitor), mandateId)
  return view(deps, visitor)
}

async function cancel(deps: PermissionDeps, visitor: Visitor, mandateId: string): Promise<PermissionsView> {
  await deps.mandates.cancel(scopeOf(visitor), mandateId)
  return view(deps, visitor)
}

async function goOn(
  deps: PermissionDeps,
  visitor: Visitor,
  mandateId: string,
  signed: { resumeId: string; response: unknown },
): Promise<PermissionsView> {
  await resume(deps, visitor, mandateId, signed)
  return view(deps, visitor)
}

const scopeOf = ({ merchantId, customerId }: Visitor) => ({ merchantId, user: customerId })

/**
 * What a cardholder sees of the permissions that they gave a merchant's account, and how they stop them without asking
 * it.
 */
export const createPermissionService = (deps: PermissionDeps) =>
  bound(deps, { signInOptions, enter, view, pause, cancel, resumeOptions, goOn })
export type PermissionService = ReturnType<typeof createPermissionService>

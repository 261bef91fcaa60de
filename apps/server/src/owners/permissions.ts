import { mandateForbidden, mandateNotFound } from '../mandates/errors.ts'
import type { ShownMandate } from '../mandates/service.ts'
import { PublicError } from '../platform/errors.ts'
import * as store from './activity-store.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'

// The permissions that an owner has given their agents, and the cards that these hang on.

export interface OwnedPermission {
  mandate: ShownMandate
  /** What its agent is called; null: it is no agent's. */
  agentName: string | null
}

const PAGE = 50

/** Newest first, also those that have ended: what was never approved is none. */
export async function listPermissions(
  deps: OwnerDeps,
  { merchantId, customerId }: OwnerCaller,
  before: string | undefined,
): Promise<{ permissions: OwnedPermission[]; before: string | null }> {
  const asked = { merchantId, customer: customerId, standingOnly: true, before, limit: PAGE }
  const [page, names] = await Promise.all([deps.mandates.list(asked), agentNames(deps, customerId)])
  const approved = page.mandates.filter(({ isApproved }) => isApproved)
  return { permissions: approved.map((mandate) => named(mandate, names)), before: page.before }
}

export async function readPermission(
  deps: OwnerDeps,
  { merchantId, customerId }: OwnerCaller,
  mandateId: string,
): Promise<OwnedPermission> {
  const scope = { merchantId, user: customerId }
  const [mandate, names] = await Promise.all([
    own(deps.mandates.refresh(scope, mandateId)),
    agentNames(deps, customerId),
  ])
  return named(mandate, names)
}

/** Nothing is charged until the owner lets it go on. */
export async function pausePermission(deps: OwnerDeps, caller: OwnerCaller, mandateId: string): Promise<void> {
  await own(deps.mandates.pause({ merchantId: caller.merchantId, user: caller.customerId }, mandateId))
}

/** For good. */
export async function endPermission(deps: OwnerDeps, caller: OwnerCaller, mandateId: string): Promise<void> {
  await own(deps.mandates.cancel({ merchantId: caller.merchantId, user: caller.customerId }, mandateId))
}

/** One that another customer has is told as one that there is not. */
async function own<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof PublicError && error.code === mandateForbidden.code) throw mandateNotFound()
    throw error
  }
}

async function agentNames({ agents }: OwnerDeps, customerId: string): Promise<Map<string, string>> {
  return new Map((await agents.listOwned(customerId)).map(({ id, name }) => [id, name]))
}

const named = (mandate: ShownMandate, names: Map<string, string>): OwnedPermission => ({
  mandate,
  agentName: mandate.agentId === null ? null : (names.get(mandate.agentId) ?? ''),
})

const MAX_ON_CARDS = 1000

export interface OwnedCard {
  card: Awaited<ReturnType<OwnerDeps['cards']['list']>>[number]
  /** The permissions that end with it, newest first. */
  permissions: OwnedPermission[]
}

/** Cards of an owner, with those that were deleted, and what hangs on each. */
export async function listCards(deps: OwnerDeps, { merchantId, customerId }: OwnerCaller): Promise<OwnedCard[]> {
  const [cards, live, hanging, names] = await Promise.all([
    deps.cards.list({ merchantId, customer: customerId, withDeleted: true }),
    deps.mandates.listLive({ merchantId, customerId }),
    store.listOnCards(deps.pool, { merchantId, customerId, limit: MAX_ON_CARDS }),
    agentNames(deps, customerId),
  ])
  const cardOf = new Map(hanging.map(({ id, cardId }) => [id, cardId]))
  return cards.map((card) => ({
    card,
    permissions: live.filter(({ id }) => cardOf.get(id) === card.id).map((mandate) => named(mandate, names)),
  }))
}

import type { FoundKind } from '@mintmark/contract/console'
import { PublicError } from '../platform/errors.ts'
import { ID_PREFIXES } from '../platform/ids.ts'
import type { ConsoleCaller, ConsoleDeps } from './deps.ts'
import { findByCharge, findBySession } from './payments-store.ts'
import { findMandate } from './permissions.ts'
import { kindOfId } from './rules.ts'

/** What an id names at this account; nothing where it names nothing, or something of another account. */
export async function find(
  deps: ConsoleDeps,
  { merchantId }: ConsoleCaller,
  text: string,
): Promise<{ kind: FoundKind; id: string }[]> {
  const id = text.trim()
  const kind = kindOfId(id)
  if (kind === 'permission') return findPermission(deps, merchantId, id)
  return kind !== undefined && (await isThere(deps, kind, merchantId, id)) ? [{ kind, id }] : []
}

/** What is for one purchase is shown with its payment. */
async function findPermission(
  deps: ConsoleDeps,
  merchantId: string,
  id: string,
): Promise<{ kind: FoundKind; id: string }[]> {
  const mandate = await findMandate(deps, merchantId, id)
  if (mandate === undefined) return []
  return mandate.chargeId === null ? [{ kind: 'permission', id }] : [{ kind: 'payment', id: mandate.chargeId }]
}

async function isThere(
  { pool, feed, webhooks, deliveries }: ConsoleDeps,
  kind: Exclude<FoundKind, 'permission'>,
  merchantId: string,
  id: string,
): Promise<boolean> {
  switch (kind) {
    case 'payment': {
      const findPayment = id.startsWith(ID_PREFIXES.session) ? findBySession : findByCharge
      return (await findPayment(pool, { merchantId, id })) !== undefined
    }
    case 'event':
      return wasFound(feed.find({ merchantId, eventId: id }))
    case 'delivery':
      return wasFound(deliveries.find({ merchantId, deliveryId: id }))
    case 'endpoint':
      return (await webhooks.list(merchantId)).some((endpoint) => endpoint.id === id)
  }
}

/** False for what is not there. */
async function wasFound(finding: Promise<unknown>): Promise<boolean> {
  try {
    await finding
    return true
  } catch (error) {
    if (error instanceof PublicError && error.status === 404) return false
    throw error
  }
}

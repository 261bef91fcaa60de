import { MAX_CHARGES_SHOWN, type MandateState } from '@mintmark/contract'
import type { MandatePage, ShownMandate } from '../mandates/service.ts'
import { PublicError } from '../platform/errors.ts'
import type { ConsoleCaller, ConsoleDeps } from './deps.ts'
import { permissionNotFound } from './errors.ts'
import { listPaymentsOf, type PaymentRow } from './payments-store.ts'
import * as store from './permissions-store.ts'

// The permissions of an account: its standing mandates, as the API shows them.

const PAGE = 50
/** How far a page looks for permissions of one state, which time alone changes: no index has it. */
const MAX_READ = 500

/** The newest first. A page of one state ends where it was looked so far. */
export async function listPermissions(
  { mandates }: ConsoleDeps,
  { merchantId }: ConsoleCaller,
  { state, before }: { state?: MandateState | undefined; before?: string | undefined },
): Promise<MandatePage> {
  const limit = state === undefined ? PAGE : MAX_READ
  const page = await mandates.list({ merchantId, standingOnly: true, before, limit })
  if (state === undefined) return page
  const found = page.mandates.filter((mandate) => mandate.state === state)
  const shown = found.slice(0, PAGE)
  return { mandates: shown, before: found.length > PAGE ? (shown.at(-1)?.id ?? null) : page.before }
}

export interface ReadPermission {
  mandate: ShownMandate
  heldMinor: bigint
  sentence: { language: string; text: string } | null
  payments: PaymentRow[]
}

/** One, with its newest charges. What is for one purchase is shown with its payment. */
export async function readPermission(
  deps: ConsoleDeps,
  { merchantId }: ConsoleCaller,
  id: string,
): Promise<ReadPermission> {
  const mandate = await findMandate(deps, merchantId, id)
  if (mandate === undefined || mandate.perCheckout) throw permissionNotFound()
  const [behind, payments] = await Promise.all([
    store.findBehind(deps.pool, { merchantId, id }),
    listPaymentsOf(deps.pool, { merchantId, mandateId: id, limit: MAX_CHARGES_SHOWN }),
  ])
  const sessionId = behind?.sessionId ?? null
  const sentence =
    sessionId === null
      ? undefined
      : await deps.approvals.sentenceOf({ merchantId, subject: { type: 'session', id: sessionId } })
  return { mandate, heldMinor: heldOf(mandate, behind?.heldMinor ?? 0n), sentence: sentence ?? null, payments }
}

/** A window that is over since holds nothing of the current one. */
const heldOf = ({ spentMinor }: ShownMandate, minor: bigint) => (minor < spentMinor ? minor : spentMinor)

/** Undefined: there is none, or it is another account's, which here is the same. */
export async function findMandate(
  { mandates }: Pick<ConsoleDeps, 'mandates'>,
  merchantId: string,
  id: string,
): Promise<ShownMandate | undefined> {
  return mandates.find({ merchantId }, id).catch((error: unknown) => {
    if (error instanceof PublicError && (error.status === 404 || error.status === 403)) return undefined
    throw error
  })
}

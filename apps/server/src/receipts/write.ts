import { command, rollback } from '../db/command.ts'
import { sqlState, UNIQUE_VIOLATION } from '../db/errors.ts'
import type { JobResult } from '../jobs/loop.ts'
import { addSeconds } from '../platform/clock.ts'
import { draftsOf } from './acts.ts'
import type { ReceiptDeps } from './deps.ts'
import type { Draft } from './drafts.ts'
import { factsOf } from './facts.ts'
import { lockCurrentKey } from './key-store.ts'
import { type SigningKey, signingKey } from './keys.ts'
import { type Head, type SignedReceipt, signReceipt } from './sign.ts'
import type { Act } from './store.ts'
import * as store from './store.ts'

// Receipts are written behind the acts: what happened is noted in the transaction of the act, and no payment waits for
// a signature, or for the head of a chain (ADR 0092). Any number of processes may write.

const BATCH = 200
const SILENT = 'A receipt says what an event has said, or what its owner did.'
const LONGEST_REST_SECONDS = 600

interface Prepared {
  act: Act
  drafts: readonly Draft[]
}

/** Writes the receipts of what was noted. */
export async function writeDue(deps: ReceiptDeps): Promise<JobResult> {
  const { pool, merchantId, clock } = deps
  const acts = await store.listActs(pool, { merchantId, at: clock.now(), limit: BATCH })
  if (acts.length === 0) return { taken: 0, nextDueAt: null }
  const key = await signingKey(deps)
  const known = { ...deps, facts: factsOf(deps, acts) }
  const prepared: Prepared[] = []
  for (const act of acts) {
    // What cannot be said of one act holds up no other.
    const drafts = await draftsOf(known, act).catch((error: unknown) => postpone(deps, [act], error))
    if (drafts !== undefined) prepared.push({ act, drafts })
  }
  for (const [customerId, own] of byOwner(prepared)) {
    await writeChain(deps, key, customerId, own).catch((error: unknown) => {
      // Another writer took the place: what is left is found again.
      if (sqlState(error) === UNIQUE_VIOLATION) return
      return postpone(
        deps,
        own.map(({ act }) => act),
        error,
      )
    })
  }
  return { taken: acts.length, nextDueAt: null }
}

/** By owner, each in the order in which it happened; `''` has what is of no owner. */
function byOwner(prepared: readonly Prepared[]): Map<string, Prepared[]> {
  const owners = new Map<string, Prepared[]>()
  for (const each of prepared) {
    const customerId = each.drafts[0]?.customerId ?? ''
    owners.set(customerId, [...(owners.get(customerId) ?? []), each])
  }
  return owners
}

async function writeChain(
  deps: ReceiptDeps,
  key: SigningKey,
  customerId: string,
  prepared: readonly Prepared[],
): Promise<void> {
  const { pool, merchantId, clock } = deps
  const acts = prepared.map(({ act }) => act)
  const head = (await store.findHead(pool, { merchantId, customerId })) ?? null
  const signed = await signAll(
    deps,
    key,
    prepared.flatMap(({ drafts }) => drafts),
    { head, at: clock.now() },
  )
  await command(deps, { name: 'receipts.write', why: SILENT }, async ({ tx, at }) => {
    const isThere = customerId !== '' && (await store.lockCustomer(tx, { merchantId, customerId })) !== undefined
    const deleted = await store.deleteActs(tx, { merchantId, ids: idsOf(acts) })
    // Another writer has taken some of them, and the chain goes on from what it wrote.
    if (deleted.length < acts.length) return rollback
    if (!isThere || signed.length === 0) return true
    if ((await lockCurrentKey(tx, { merchantId, id: key.jwk.kid })) === undefined) return rollback
    const inserted = await store.insertReceipts(tx, { merchantId, customerId, ...rowsOf(signed, head), at })
    return inserted.length === signed.length ? true : rollback
  })
}

/** In their order, each naming the one before. An approval that has its receipt is not written again. */
async function signAll(
  deps: ReceiptDeps,
  key: SigningKey,
  drafts: readonly Draft[],
  { head, at }: { head: Head | null; at: Date },
): Promise<SignedReceipt[]> {
  const approvals = await approvalsOf(deps, drafts)
  const signed: SignedReceipt[] = []
  for (const draft of drafts) {
    const isApproval = draft.cause.kind === 'approval'
    if (isApproval && approvals.has(draft.cause.id)) continue
    const allowed = draft.allowedIn === null ? undefined : approvals.get(draft.allowedIn)
    const permission = allowed === undefined ? null : { id: allowed.about, jti: allowed.id, sha256: allowed.hash }
    const made = await signReceipt(deps, key, draft, { head: signed.at(-1) ?? head, permission, at })
    signed.push(made)
    if (isApproval) approvals.set(draft.cause.id, { ...made, about: draft.said.about.id })
  }
  return signed
}

/** Receipts of approvals that these drafts are, or name. */
async function approvalsOf({ pool, merchantId }: ReceiptDeps, drafts: readonly Draft[]) {
  const sessions = drafts.filter(({ cause }) => cause.kind === 'approval')
  const causeIds = [...new Set(sessions.map(({ cause }) => cause.id))]
  const abouts = new Map(sessions.map(({ cause, said }) => [cause.id, said.about.id]))
  const found = await store.listByCause(pool, { merchantId, causeKind: 'approval', causeIds })
  return new Map(found.map(({ causeId, id, hash }) => [causeId, { id, hash, about: abouts.get(causeId) ?? '' }]))
}

const idsOf = (acts: readonly Act[]) => acts.map(({ id }) => id)

function rowsOf(signed: readonly SignedReceipt[], head: Head | null) {
  return {
    positions: signed.map(({ position }) => position),
    ids: signed.map(({ id }) => id),
    causeKinds: signed.map(({ cause }) => cause.kind),
    causeIds: signed.map(({ cause }) => cause.id),
    acts: signed.map(({ act }) => act),
    hashes: signed.map(({ hash }) => hash),
    texts: signed.map(({ jws }) => jws),
    times: signed.map(({ occurredAt }) => occurredAt),
    headPosition: head?.position ?? 0,
    headHash: head?.hash ?? '',
  }
}

async function postpone(deps: ReceiptDeps, acts: readonly Act[], error: unknown): Promise<undefined> {
  const { merchantId, log, clock } = deps
  const attempts = Math.max(...acts.map((act) => act.attempts))
  const nextAt = addSeconds(clock.now(), Math.min(LONGEST_REST_SECONDS, 2 ** attempts))
  log.failure('receipts could not be written', error, {
    count: acts.length,
    attempt: attempts + 1,
    row_id: acts[0]?.id ?? '',
  })
  await command(deps, { name: 'receipts.postpone', why: SILENT, together: 'statement' }, ({ on }) =>
    store.postponeActs(on, { merchantId, ids: idsOf(acts), nextAt }),
  )
  return undefined
}

import type { ReceiptDeps } from './deps.ts'
import * as store from './facts-store.ts'
import { type Evidence, evidenceOf } from './proof.ts'
import type { Act } from './store.ts'

type Charge = NonNullable<Awaited<ReturnType<typeof store.listCharges>>[number]>
type Mandate = NonNullable<Awaited<ReturnType<typeof store.findMandate>>>
/** An agent, with its keys, the newest first. */
export type KnownAgent = NonNullable<Awaited<ReturnType<typeof store.findAgent>>> & {
  keys: Awaited<ReturnType<typeof store.listThumbprints>>
}

/** Rows of other rooms that receipts of one batch speak of. */
export interface Facts {
  charge(id: string): Promise<Charge | undefined>
  mandate(id: string): Promise<Mandate | undefined>
  agent(id: string): Promise<KnownAgent | undefined>
  /** Undefined: nothing was signed. Throws for a passkey whose row was edited. */
  evidence(subject: store.Subject): Promise<Evidence | undefined>
}

/** What the drafts of a batch are made with. */
export interface DraftDeps extends ReceiptDeps {
  facts: Facts
}

/**
 * Reads each row once a batch: acts that wait together are mostly of the same agents and permissions. Nothing that a
 * receipt says of them changes between two acts of a batch.
 */
export function factsOf(deps: ReceiptDeps, acts: readonly Act[]): Facts {
  const { pool, merchantId } = deps
  const charges = once(async () => {
    const found = await store.listCharges(pool, { merchantId, ids: chargeIdsOf(acts) })
    return new Map(found.map((charge) => [charge.id, charge]))
  })
  const evidence = once(([subjectType, subjectId]: [string, string]) => evidenceOf(deps, { subjectType, subjectId }))
  return {
    charge: async (id) => (await charges('all')).get(id),
    mandate: once((id: string) => store.findMandate(pool, { merchantId, id })),
    agent: once((id: string) => readAgent(deps, id)),
    evidence: ({ subjectType, subjectId }) => evidence([subjectType, subjectId]),
  }
}

/** Ids that may be of charges: those of other resources find none. */
const chargeIdsOf = (acts: readonly Act[]) => [...new Set(acts.flatMap((act) => [act.resourceId, txnIdOf(act)]))]

/** Null also of what cannot be read: its own draft fails then, and no other. */
function txnIdOf({ data }: Act): string | null {
  try {
    return JSON.parse(data ?? '{}').txn_id ?? null
  } catch {
    return null
  }
}

async function readAgent({ pool, merchantId }: ReceiptDeps, id: string): Promise<KnownAgent | undefined> {
  const found = await store.findAgent(pool, { merchantId, id })
  return found && { ...found, keys: await store.listThumbprints(pool, { merchantId, agentId: id }) }
}

/** Asks once of a key, and answers each further question of it alike. */
function once<Key, Value>(read: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const known = new Map<string, Promise<Value>>()
  return (key) => {
    const name = JSON.stringify(key)
    const found = known.get(name) ?? read(key)
    known.set(name, found)
    return found
  }
}

import { createHash } from 'node:crypto'
import { PublicError } from '../platform/errors.ts'
import { type CommandDeps, commandOnce, findOutcome, type IdempotencyKey, outcomeOf, single } from './command.ts'
import {
  type KeyedRequest,
  openedResponse,
  type SealedResponses,
  StoredResponse,
  sealedResponse,
  stored,
  type WrittenResponse,
} from './respond-once.ts'
import type { SilentChange } from './silent.ts'
import { execute, type Queryable } from './statement.ts'

// What is made once a caller's key, where a key is the caller's to give (ADR 0111). What was made is told again for a day; what was refused
// made nothing, and so it is nothing that a key stands for: the same request is looked at anew.

export type CreateOnceDeps = CommandDeps & SealedResponses

/** Whose key it is: an agent's is its own, also beside other agents of the account. Null: the account's. */
export interface KeyHolder {
  merchantId: string
  agentId: string | null
}

/** Something new that one statement makes, and what is told of it. */
export interface Creation<Result> extends SilentChange {
  /** `run` sends the statement, by itself or in a transaction. May be asked again when that was rolled back. */
  by(run: <Row>(insert: (on: Queryable) => Promise<Row>) => Promise<Row>): Promise<Result>
}

/** Makes it, by its statement alone. */
export function create<Result>(deps: Pick<CommandDeps, 'pool' | 'clock'>, creation: Creation<Result>): Promise<Result> {
  return creation.by((insert) => single(deps, creation, ({ on }) => insert(on)))
}

/**
 * Makes it once a key: the response is stored in the transaction of its effect. `prepare` reads what there is to make; where that refuses, it may
 * be because of what this very request has made before.
 */
export async function createOnce<Result>(
  deps: CreateOnceDeps,
  holder: KeyHolder,
  request: KeyedRequest<Result>,
  prepare: () => Promise<Creation<Result>>,
): Promise<StoredResponse> {
  const key = keyOf(holder, request)
  const creation = await prepare().catch(async (refusal: unknown) => {
    const made = await findStored(deps, key)
    if (made === null) throw refusal
    return made
  })
  if (creation instanceof StoredResponse) return creation
  return stored(deps, creation, key, async ({ tx }) => request.success(await creation.by((insert) => insert(tx))))
}

/**
 * The same of work that asks another party's system, and so is in no transaction. It must have one effect however often it is done: a process that
 * dies in the middle of it has left the key behind, by which the same request goes on, and no other.
 */
export async function workOnce<Result>(
  deps: CreateOnceDeps,
  holder: KeyHolder,
  request: KeyedRequest<Result>,
  work: () => Promise<Result>,
): Promise<StoredResponse> {
  const key = keyOf(holder, request)
  const begun = outcomeOf(await commandOnce<Partial<WrittenResponse>>(deps, BEGIN, key, async () => ({})))
  if (begun !== null && isWritten(begun.outcome)) return openedResponse(deps, key, begun.outcome, true)
  const result = await work().catch(async (error: unknown) => {
    if (isRefusal(error)) await single(deps, FORGET, ({ on }) => deleteBegun(on, placeOf(key)))
    throw error
  })
  const response = request.success(result)
  const outcome = sealedResponse(deps, key, response)
  const kept = await single(deps, FINISH, ({ on }) => updateBegun(on, { ...placeOf(key), outcome }))
  // Where two went on at the same time, one was first.
  const first = kept === 1 ? null : await findStored(deps, key)
  return first ?? new StoredResponse(response, false)
}

const BEGIN = { name: 'creations.begin', silent: 'idempotency' } as const
const FORGET = { name: 'creations.forget', silent: 'idempotency' } as const
const FINISH = { name: 'creations.finish', silent: 'idempotency' } as const

/** No operation that has keys of its own is called so. */
function keyOf({ merchantId, agentId }: KeyHolder, { key, input }: KeyedRequest<never>): IdempotencyKey {
  return { merchantId, operation: agentId === null ? 'creations' : `creations ${agentId}`, key, input }
}

/** What was made by a key. Throws the conflict of one that another request has. */
async function findStored(deps: CreateOnceDeps, key: IdempotencyKey): Promise<StoredResponse | null> {
  const outcome = await findOutcome<Partial<WrittenResponse>>(deps, key)
  return outcome !== null && isWritten(outcome) ? openedResponse(deps, key, outcome, true) : null
}

const isWritten = (outcome: Partial<WrittenResponse>): outcome is WrittenResponse => outcome.body !== undefined

/** Nothing was made, nor will be by this request as things are. */
function isRefusal(error: unknown): boolean {
  return error instanceof PublicError && error.status < 500 && error.retryAfterSeconds === undefined
}

/** Where the key is, and of which request. */
function placeOf({ input, ...place }: IdempotencyKey) {
  return { ...place, inputHash: createHash('sha256').update(input).digest() }
}

/** Stores the response to a request that was begun; none, where another one of it was quicker, or the key is another request's by now. */
const updateBegun = execute(
  'creations.update_begun',
  `update idempotency_keys set outcome = $outcome::jsonb
   where merchant_id = $merchantId and operation = $operation and key = $key and input_hash = $inputHash and outcome = '{}'::jsonb`,
)

const deleteBegun = execute(
  'creations.delete_begun',
  `delete from idempotency_keys
   where merchant_id = $merchantId and operation = $operation and key = $key and input_hash = $inputHash and outcome = '{}'::jsonb`,
)

import type { DestinationRefusal, EventType } from '@mintmark/contract'
import { type CommandContext, type CommandDeps, command, commandOnce, outcomeOf } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { wake } from '../jobs/wake.ts'
import { checkActive, newWebhookSecret } from '../merchants/service.ts'
import { checkDestination, DESTINATION_PROBLEMS } from '../platform/egress/destination.ts'
import { type ErrorDetails, fieldErrors, notFound, unavailable } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { valueAt } from '../platform/json.ts'
import type { Secret } from '../platform/secret.ts'
import { checkDelivering } from './delivering.ts'
import { DELIVER_JOB } from './delivery/fan-out.ts'
import { closeOverIncident } from './delivery/incidents.ts'
import { openWork } from './delivery/queue-store.ts'
import type { WebhookDeps } from './deps.ts'
import { endpointLimit, endpointNotVerified } from './errors.ts'
import type { EndpointRef } from './ref.ts'
import { changedDestination, FIRST, MAX_ENDPOINTS } from './rules.ts'
import { checkedDestination, destinationSeal, isOwnDestination } from './seal.ts'
import { secretCell } from './secrets.ts'
import * as store from './store.ts'

export type Endpoint = store.EndpointRow

/** What changing one takes: no request is made by it. */
export type EndpointDeps = CommandDeps & Pick<WebhookDeps, 'environment' | 'policy' | 'seals' | 'incidentListeners'>

export interface NewEndpoint {
  name: string
  url: string
  events: readonly EventType[]
}

export interface EndpointChanges {
  name?: string | undefined
  url?: string | undefined
  events?: readonly EventType[] | undefined
  enabled?: boolean | undefined
}

/** The URL as it is kept, or `VAL_2001` with what is wrong with it. No name is resolved: that is checked with every request. */
export function checkUrl(deps: Pick<WebhookDeps, 'policy' | 'environment'>, url: string): string {
  const checked = checkDestination(url, deps.policy)
  if (checked.kind === 'refused') throw fieldErrors({ url: problemOf(deps, url, checked.reason) })
  return checked.url
}

/** The same of a body, which may be anything: what is no text is for its schema to refuse. */
export function urlProblems(deps: Pick<WebhookDeps, 'policy' | 'environment'>, body: unknown): ErrorDetails {
  const url = valueAt(body, 'url')
  if (typeof url !== 'string') return {}
  const checked = checkDestination(url, deps.policy)
  return checked.kind === 'refused' ? { url: problemOf(deps, url, checked.reason) } : {}
}

const HERE = /^https?:\/\/(?:localhost|127\.|\[::1\])/i
const HOW_TO_GET_HERE = ', or a sandbox be started with WEBHOOK_ALLOW_LOOPBACK=on, which sends to its own machine'

/** Nearly everyone's first endpoint is on their own machine: then what is wrong is how the sandbox was started. */
function problemOf(
  { policy, environment }: Pick<WebhookDeps, 'policy' | 'environment'>,
  url: string,
  reason: DestinationRefusal,
): string {
  const isMeantForHere = environment === 'sandbox' && policy.inTheClear === null && HERE.test(url)
  return DESTINATION_PROBLEMS[reason] + (isMeantForHere ? HOW_TO_GET_HERE : '')
}

/** All of the account, the oldest first. One edited in the database is left out, with an alarm: nothing is sent to it. */
export async function list(deps: Pick<WebhookDeps, 'pool' | 'seals'>, merchantId: string): Promise<Endpoint[]> {
  const endpoints = await store.listEndpoints(deps.pool, { merchantId })
  return endpoints.filter((endpoint) => isOwnDestination(deps, merchantId, endpoint))
}

/** `NOT_FOUND` for no such endpoint of the merchant. Throws `RowTampered`. */
export async function find(deps: Pick<WebhookDeps, 'pool' | 'seals'>, ref: EndpointRef): Promise<Endpoint> {
  const found = await store.findEndpoint(deps.pool, { ...ref })
  if (found === undefined) throw notFound()
  return checkedDestination(deps, ref.merchantId, found)
}

/** What a caller's key gets again: the answer of then, without the secret. */
export interface Once {
  key: string
  /** What was asked, for the comparison with what is asked by the same key. */
  input: string
  /** The answer as it is stored. The secret is no part of it. */
  answer(endpoint: Endpoint): string
}

export interface Created {
  answer: string
  /** Null: the key was used before. The secret is shown once. */
  secret: Secret | null
}

/** A new endpoint, paused and unverified. `WEBHOOK_ENDPOINT_LIMIT` beyond five, however many ask at the same time. */
export async function create(
  deps: WebhookDeps,
  merchantId: string,
  endpoint: NewEndpoint,
  { key, input, answer }: Once,
): Promise<Created> {
  checkDelivering(deps)
  const url = checkUrl(deps, endpoint.url)
  const ref = { merchantId, endpointId: newId('endpoint') }
  const secret = newWebhookSecret()
  // Sealed before the transaction: the key provider may be a network away.
  const { sealed: secretSealed, keyId: secretKeyId } = await deps.vault.sealText(secretCell(ref), secret)
  const row = { ...ref, ...endpoint, url, isAccount: false, secretSealed, secretKeyId }
  const idempotencyKey = { merchantId, operation: 'webhooks.create', key, input }
  const made = outcomeOf(
    await commandOnce(deps, { name: 'webhooks.create', silent: 'telling' }, idempotencyKey, async (context) => {
      await checkActive(context.tx, merchantId)
      return { answer: answer(await insert(deps, context, row)) }
    }),
  )
  if (made === null) throw unavailable()
  return { answer: made.outcome.answer, secret: made.replayed ? null : secret }
}

type NewRow = Omit<
  Parameters<typeof store.insertEndpoint>[1],
  'place' | 'url' | 'isAccount' | 'revision' | 'enabled' | 'seal' | 'at'
> &
  EndpointRef & { url: string; isAccount: boolean }

/**
 * Takes a free place, of which there are five. Where several callers see the same one free, one gets it, and the others look again:
 * each round gives a caller a place, so there are at most as many rounds as places, and as many more as are given back meanwhile.
 */
export async function insert(
  deps: Pick<EndpointDeps, 'seals'>,
  { tx, at }: CommandContext<never>,
  given: NewRow,
): Promise<Endpoint> {
  const { merchantId, endpointId } = given
  const { revision, enabled } = FIRST
  const row = { ...given, revision, enabled, seal: destinationSeal(deps, { ...given, ...FIRST, id: endpointId }) }
  for (let round = 0; round < 2 * MAX_ENDPOINTS; round += 1) {
    const free = await store.findFreePlace(tx, { merchantId, maxEndpoints: MAX_ENDPOINTS })
    if (free === undefined) throw endpointLimit()
    if ((await store.insertEndpoint(tx, { ...row, place: free.place, at })) === 1) {
      return shown(await store.findEndpoint(tx, { merchantId, endpointId }))
    }
  }
  throw unavailable()
}

function shown(endpoint: Endpoint | undefined): Endpoint {
  if (endpoint === undefined) throw new Error('An endpoint that was just written is not there.')
  return endpoint
}

/**
 * Changes what is given. Another URL is another destination: it is not verified, the endpoint is paused, and what is queued for the
 * one before is cancelled, because its revision is lower.
 */
export async function update(deps: WebhookDeps, ref: EndpointRef, changes: EndpointChanges): Promise<Endpoint> {
  checkDelivering(deps)
  return change(deps, ref, changes, ({ tx }) => checkActive(tx, ref.merchantId))
}

/** As `update`, also while delivery is switched off or the account is suspended: the operator may. */
export async function change(
  deps: EndpointDeps,
  ref: EndpointRef,
  changes: EndpointChanges,
  check: (context: CommandContext<never>) => Promise<void> = async () => undefined,
): Promise<Endpoint> {
  const { name = null, events = null, enabled = null } = changes
  const url = changes.url === undefined ? null : checkUrl(deps, changes.url)
  const changed = await command(deps, { name: 'webhooks.update', silent: 'telling' }, async (context) => {
    const { tx, at } = context
    await check(context)
    // Before the row of the endpoint, as everywhere: work, then its subject.
    if (enabled === true || url !== null) await openWork(tx, { ...ref, at })
    const present = await lockOwn(deps, tx, ref)
    const next = changedDestination(present, { url, enabled })
    if (next === null) throw endpointNotVerified()
    const seal = destinationSeal(deps, { ...present, ...next, merchantId: ref.merchantId })
    await store.updateEndpoint(tx, { ...ref, name, events, ...next, seal, at })
    await closeOverIncident(deps, { tx, at }, ref)
    wake(tx, DELIVER_JOB)
    return shown(await store.findEndpoint(tx, { ...ref }))
  })
  if (changed === null) throw unavailable()
  return changed
}

/** Locks an endpoint to seal it anew: never one that an editor of the database has changed. `NOT_FOUND`, `RowTampered`. */
export async function lockOwn(deps: Pick<EndpointDeps, 'seals'>, tx: Queryable, ref: EndpointRef) {
  const present = await store.lockEndpoint(tx, { ...ref })
  if (present === undefined) throw notFound()
  return checkedDestination(deps, ref.merchantId, present)
}

/**
 * Nothing is sent there from then on. `NOT_FOUND` for no such endpoint, and for one that was deleted. Possible for a suspended account:
 * it ends something.
 */
export async function remove(deps: WebhookDeps, ref: EndpointRef): Promise<void> {
  checkDelivering(deps)
  await discard(deps, ref)
}

/** As `remove`, also while delivery is switched off: the operator may. */
export async function discard(deps: EndpointDeps, ref: EndpointRef): Promise<void> {
  await command(deps, { name: 'webhooks.delete', silent: 'telling' }, async ({ tx, at }) => {
    // What is queued is cancelled when its work is due.
    await openWork(tx, { ...ref, at })
    if ((await store.updateDeleted(tx, { ...ref, at })) === 0) throw notFound()
    wake(tx, DELIVER_JOB)
    await closeOverIncident(deps, { tx, at }, ref)
    return true
  })
}

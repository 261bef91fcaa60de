import type { Configuration } from 'oidc-provider'
import { checkDestination } from '../platform/egress/destination.ts'
import type { EgressPolicy } from '../platform/egress/policy.ts'
import { send } from '../platform/egress/send.ts'
import { documentAsTaken, jsonAsTaken } from './leniency.ts'

// The one thing that is fetched because a client names it: the document that describes it, at the address that is its name.

/** More than any client says of itself. One that is longer is cut off, and is then no JSON. */
const MAX_BYTES = 16_384
export const MAX_MILLIS = 3_000

/** What `documentPolicy` becomes for these. */
const boundedPolicy = (policy: EgressPolicy, maxMillis: number): EgressPolicy => ({
  ...policy,
  bodyBytes: MAX_BYTES,
  connectMillis: maxMillis,
  totalMillis: maxMillis,
})

/** Whether the document may be asked for at all, by what is written in its address. */
export function isFetchable(url: string, policy: EgressPolicy): boolean {
  return checkDestination(url, policy).kind === 'allowed'
}

/** An address that did not answer is not asked again for so long: no other server is to be hammered by way of this one. */
const SILENT_MILLIS = 10_000
const MAX_SILENT = 1_000

/**
 * What oidc-provider asks with, by the one door to the outside. No redirect is followed. Its own signal, which is a clock of two and a half
 * seconds and nothing else, is not listened to: there is one limit, and it is the one above.
 */
export function createDocumentFetch(policy: EgressPolicy, maxMillis = MAX_MILLIS): NonNullable<Configuration['fetch']> {
  const bounded = boundedPolicy(policy, maxMillis)
  const silentUntil = new Map<string, number>()
  return async (input) => {
    const url = input instanceof Request ? input.url : String(input)
    if ((silentUntil.get(url) ?? 0) > performance.now()) throw new Error('The document was not read a moment ago.')
    const headers = { accept: 'application/json', 'user-agent': 'mintmark' }
    const answer = await send({ url, method: 'GET', headers, policy: bounded })
    if (answer.kind !== 'answered') {
      if (silentUntil.size >= MAX_SILENT) silentUntil.clear()
      silentUntil.set(url, performance.now() + SILENT_MILLIS)
      throw new Error(`The document was not read: ${answer.category}.`)
    }
    const { status, fields, body, isComplete } = answer
    if (!isComplete) throw new Error('The document is longer than it may be.')
    const text = isEmptyStatus(status) ? null : jsonAsTaken(body.toString('utf8'), documentAsTaken)
    return new Response(text, { status, headers: textsOf(fields) })
  }
}

const isEmptyStatus = (status: number) => [101, 204, 205, 304].includes(status)

function textsOf(headers: Readonly<Record<string, unknown>>): [string, string][] {
  return ['cache-control', 'content-type', 'expires'].flatMap((name): [string, string][] => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
}

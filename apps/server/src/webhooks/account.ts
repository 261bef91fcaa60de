import { EVENT_TYPES } from '@mintmark/contract'
import { command } from '../db/command.ts'
import { bound } from '../platform/bound.ts'
import { unavailable } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { change, checkUrl as check, discard, type Endpoint, type EndpointDeps, insert } from './endpoints.ts'
import { isOwnDestination } from './seal.ts'
import * as store from './store.ts'

/** As its owner sees it in the list. */
const NAME = 'Account'

/**
 * The operator's setting of the account's `webhook_url`: an endpoint like any other, for all kinds there are, signed with the secret
 * of the account. That the operator names it proves nothing about who lives there: its owner verifies and enables it.
 */
async function set(deps: EndpointDeps, merchantId: string, given: string): Promise<Endpoint> {
  const url = check(deps, given)
  const present = await store.findAccountEndpoint(deps.pool, { merchantId })
  if (present !== undefined) {
    const ref = { merchantId, endpointId: present.id }
    if (isOwnDestination(deps, merchantId, present)) return change(deps, ref, { url })
    // Whatever an editor of the database has made of it, the operator says now where it is.
    await discard(deps, ref)
  }
  const none = { secretSealed: null, secretKeyId: null }
  const row = {
    merchantId,
    endpointId: newId('endpoint'),
    name: NAME,
    url,
    events: EVENT_TYPES,
    isAccount: true,
    ...none,
  }
  const made = await command(deps, { name: 'webhooks.set_account_url', silent: 'telling' }, (context) =>
    insert(deps, context, row),
  )
  if (made === null) throw unavailable()
  return made
}

/** Deletes the endpoint of the account, if there is one. Its secret stays: it is that of the account. */
async function remove(deps: EndpointDeps, merchantId: string): Promise<void> {
  const present = await store.findAccountEndpoint(deps.pool, { merchantId })
  if (present !== undefined) await discard(deps, { merchantId, endpointId: present.id })
}

/** The account's `webhook_url`; null when it has none, or one that an editor of the database has changed. */
async function find(deps: Pick<EndpointDeps, 'pool' | 'seals'>, merchantId: string): Promise<string | null> {
  const found = await store.findAccountEndpoint(deps.pool, { merchantId })
  return found !== undefined && isOwnDestination(deps, merchantId, found) ? found.url : null
}

/** The endpoints that operators set. */
export const createAccountUrls = (deps: EndpointDeps) => bound(deps, { check, find, set, remove })

import { EVENT_TYPES } from '@mintmark/contract'
import { command } from '../db/command.ts'
import { unavailable } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { NO_EVENT, type WebhookDeps } from './deps.ts'
import { change, checkUrl, discard, type Endpoint, insert } from './endpoints.ts'
import * as store from './store.ts'

/** As its owner sees it in the list. */
const NAME = 'Account'

/**
 * The operator's setting of the account's `webhook_url`: an endpoint like any other, for all kinds there are, signed with the secret
 * of the account. That the operator names it proves nothing about who lives there: its owner verifies and enables it.
 */
export async function setAccountUrl(deps: WebhookDeps, merchantId: string, given: string): Promise<Endpoint> {
  const url = checkUrl(deps, given)
  const present = await store.findAccountEndpoint(deps.pool, { merchantId })
  if (present !== undefined) return change(deps, { merchantId, endpointId: present.id }, { url })
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
  const made = await command(deps, { name: 'webhooks.set_account_url', silent: NO_EVENT }, (context) =>
    insert(context, row),
  )
  if (made === null) throw unavailable()
  return made
}

/** Deletes the endpoint of the account, if there is one. Its secret stays: it is that of the account. */
export async function removeAccountUrl(deps: WebhookDeps, merchantId: string): Promise<void> {
  const present = await store.findAccountEndpoint(deps.pool, { merchantId })
  if (present !== undefined) await discard(deps, { merchantId, endpointId: present.id })
}

/** The account's `webhook_url`; null when it has none. */
export async function findAccountUrl(deps: Pick<WebhookDeps, 'pool'>, merchantId: string): Promise<string | null> {
  return (await store.findAccountEndpoint(deps.pool, { merchantId }))?.url ?? null
}

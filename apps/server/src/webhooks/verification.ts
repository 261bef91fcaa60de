import { randomBytes } from 'node:crypto'
import { EVENT_SCHEMA_VERSION, type VerificationFailure } from '@mintmark/contract'
import { command } from '../db/command.ts'
import { checkActive } from '../merchants/service.ts'
import { unbounded } from '../platform/bounds.ts'
import { notFound } from '../platform/errors.ts'
import { newOrderedId } from '../platform/ids.ts'
import { checkDelivering } from './delivering.ts'
import { closeOverIncident } from './delivery/incidents.ts'
import type { WebhookDeps } from './deps.ts'
import { type Endpoint, find, lockOwn } from './endpoints.ts'
import { verificationFailed } from './errors.ts'
import type { EndpointRef } from './ref.ts'
import { type Answered, failureOf, isEcho } from './rules.ts'
import { destinationSeal } from './seal.ts'
import { getForSending, type SendableEndpoint, sendNow } from './send.ts'
import * as store from './store.ts'

/** The kind of the request that asks for the challenge. It is no event: it is in no feed and no list of kinds. */
const VERIFICATION_TYPE = 'webhook.endpoint_verification'

/**
 * Asks the URL to return a challenge that only a reader of the request knows, so that no caller makes us send to a server that does
 * not want it. What it proves counts for the URL that was asked: another one since then has to prove itself.
 */
export async function verify(deps: WebhookDeps, ref: EndpointRef): Promise<Endpoint> {
  checkDelivering(deps)
  await checkActive(deps.pool, ref.merchantId)
  const endpoint = await getForSending(deps, ref)
  const challenge = randomBytes(32).toString('base64url')
  const at = deps.clock.now()
  const message = { id: newOrderedId('event', at), deliveryId: newOrderedId('delivery', at) }
  const body = challengeBody(deps, endpoint, message.id, challenge)
  const { outcome } = await sendNow(deps, endpoint, { ...message, body })
  const failure = failureOf(outcome) ?? (outcome.kind === 'answered' && isEcho(outcome, challenge) ? null : 'challenge')
  if (failure !== null) throw refusal(failure, outcome)
  // The receiver has answered: that is recorded, whether or not the caller still waits.
  return unbounded(() => record(deps, ref, endpoint.revision, outcome))
}

function challengeBody(deps: WebhookDeps, endpoint: SendableEndpoint, id: string, challenge: string): string {
  return JSON.stringify({
    id,
    type: VERIFICATION_TYPE,
    schema_version: EVENT_SCHEMA_VERSION,
    occurred_at: deps.clock.now().toISOString(),
    environment: deps.environment,
    account_id: endpoint.merchantId,
    resource: { type: 'webhook_endpoint', id: endpoint.id, version: endpoint.revision },
    // Where events have their data, and on top, for receivers that answer before they look at the kind.
    data: { challenge },
    challenge,
  })
}

/** What an endpoint proved counts for the revision that was asked, and for no other. */
async function record(deps: WebhookDeps, ref: EndpointRef, revision: number, outcome: Answered): Promise<Endpoint> {
  const verified = await command(deps, { name: 'webhooks.verify', silent: 'telling' }, async ({ tx, at }) => {
    const present = await lockOwn(deps, tx, ref)
    if (present.revision !== revision) throw refusal('url_changed', outcome)
    // One that was disabled waits for its owner to enable it again.
    const enabled = present.enabled && present.disabledReason === null
    const seal = destinationSeal(deps, { ...present, merchantId: ref.merchantId, verifiedAt: at, enabled })
    await store.updateVerified(tx, { ...ref, enabled, seal, at })
    await closeOverIncident(deps, { tx, at }, ref)
    return true
  })
  if (verified === null) throw notFound()
  return find(deps, ref)
}

/** Words of ours, and the number of a status: nothing that the other side wrote. */
function refusal(category: VerificationFailure, outcome: Answered) {
  const status = outcome.kind === 'answered' ? { http_status: String(outcome.status) } : {}
  return verificationFailed({ details: { category, ...status } })
}

import {
  DeliveryParams,
  ListDeliveriesQuery,
  RecoverBody,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
  WebhookRecovery,
} from '@mintmark/contract/wire/deliveries'
import { EndpointParams } from '@mintmark/contract/wire/webhooks'
import { IDEMPOTENCY_KEY, OPTIONAL_IDEMPOTENCY_KEY } from '../../http/idempotency.ts'
import { type Route, route } from '../../http/route.ts'
import { perMerchant, secretKey } from '../../merchants/credential.ts'
import { merchantLookupFailed } from '../../merchants/errors.ts'
import { invalidFields, notFound } from '../../platform/errors.ts'
import { endpointNotVerified, webhooksDisabled } from '../errors.ts'
import {
  deliveryExpired,
  endpointDisabled,
  endpointNotSubscribed,
  endpointPaused,
  recoveryInProgress,
} from './errors.ts'
import { DELIVERY_EXAMPLE, DETAIL_EXAMPLE, RECOVER_BODY, RECOVERY_EXAMPLE, REPLAY_EXAMPLE } from './examples.ts'
import type { DeliveryService } from './service.ts'
import { fromWireCursor, fromWireRange, toWireDelivery, toWireDetail, toWireList, toWireRecovery } from './wire.ts'

export function deliveryRoutes(deliveries: DeliveryService): Route[] {
  return [listRoute(deliveries), readRoute(deliveries), replayRoute(deliveries), recoverRoute(deliveries)]
}

const COMMON = { tag: 'Webhooks', auth: [secretKey], limit: perMerchant, noStore: true } as const
const NOT_READY = [
  merchantLookupFailed,
  endpointNotVerified,
  endpointPaused,
  endpointDisabled,
  webhooksDisabled,
] as const

function listRoute(deliveries: DeliveryService): Route {
  return route({
    ...COMMON,
    method: 'GET',
    path: '/v1/webhook-endpoints/:endpointId/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries to an endpoint',
    description:
      'Newest first, of the last 30 days. `state` says how each stands. Each with its newest attempt; the others come with the delivery itself.',
    status: 200,
    params: EndpointParams,
    query: ListDeliveriesQuery,
    response: WebhookDeliveryList,
    example: {
      response: { data: [DELIVERY_EXAMPLE], next_cursor: null, queue: { waiting_count: 0, empty_at: null } },
    },
    errors: [notFound, invalidFields],
    async handler({ caller: { merchantId }, params: { endpointId }, query }) {
      return toWireList(await deliveries.list({ merchantId, endpointId }, fromWireCursor(query.cursor)))
    },
  })
}

function readRoute(deliveries: DeliveryService): Route {
  return route({
    ...COMMON,
    method: 'GET',
    path: '/v1/webhook-deliveries/:deliveryId',
    operationId: 'getWebhookDelivery',
    summary: 'Read a delivery',
    description: 'With its attempts, what is sent, and how its endpoint stands now. Kept for 30 days.',
    status: 200,
    params: DeliveryParams,
    response: WebhookDeliveryDetail,
    example: { response: DETAIL_EXAMPLE },
    errors: [notFound],
    async handler({ caller: { merchantId }, params: { deliveryId } }) {
      return toWireDetail(await deliveries.find({ merchantId, deliveryId }))
    },
  })
}

function replayRoute(deliveries: DeliveryService): Route {
  return route({
    ...COMMON,
    method: 'POST',
    path: '/v1/webhook-deliveries/:deliveryId/replay',
    operationId: 'replayWebhookDelivery',
    summary: 'Send a delivery again',
    description:
      'Queues a new delivery of the same event to the same endpoint: the same `webhook-id` and the same bytes, with nine attempts and 72 hours of its own. The same `Idempotency-Key` returns the delivery that it made; use another one to send it once more.',
    status: 201,
    params: DeliveryParams,
    idempotencyKey: IDEMPOTENCY_KEY,
    response: WebhookDelivery,
    example: { response: REPLAY_EXAMPLE },
    errors: [notFound, ...NOT_READY, endpointNotSubscribed, deliveryExpired],
    async handler({ caller: { merchantId }, params: { deliveryId }, idempotencyKey }) {
      const replayed = await deliveries.replay({ merchantId, deliveryId }, idempotencyKey)
      return toWireDelivery(await deliveries.find({ merchantId, deliveryId: replayed }))
    },
  })
}

function recoverRoute(deliveries: DeliveryService): Route {
  return route({
    ...COMMON,
    method: 'POST',
    path: '/v1/webhook-endpoints/:endpointId/recover',
    operationId: 'recoverWebhookEndpoint',
    summary: 'Catch up an endpoint',
    description:
      'Queues every event of a range of time that the endpoint wants, once each, whatever became of it before: for a receiver that was down, or lost what it had. It is done in the background; the same request with the same `Idempotency-Key` says how far it is, and without one begins another recovery. Events that come later are sent as ever.',
    status: 201,
    params: EndpointParams,
    idempotencyKey: OPTIONAL_IDEMPOTENCY_KEY,
    body: RecoverBody,
    response: WebhookRecovery,
    example: { body: RECOVER_BODY, response: RECOVERY_EXAMPLE },
    errors: [notFound, invalidFields, ...NOT_READY, recoveryInProgress],
    async handler({ caller: { merchantId }, params: { endpointId }, body, idempotencyKey }) {
      const range = fromWireRange(body)
      return toWireRecovery(await deliveries.recover({ merchantId, endpointId }, range, idempotencyKey))
    },
  })
}

import type {
  CreateWebhookEndpointRequest,
  RecoverWebhookEndpointRequest,
  TestWebhookRequest,
  UpdateWebhookEndpointRequest,
} from '../api-types.ts'
import type { Call, CallOptions } from './call.ts'
import { everyItem } from './lists.ts'

export interface WebhookEndpoints extends ReturnType<typeof webhookEndpointsOf> {}

/** What takes an `Idempotency-Key` has one that was made, unless `options` name one. */
export const webhookEndpointsOf = (call: Call) => ({
  /** Every kind of event that an endpoint may be sent. */
  eventTypes: (options?: CallOptions) => call('listWebhookEventTypes', {}, options),
  list: (options?: CallOptions) => call('listWebhookEndpoints', {}, options),
  /** `signing_secret` comes once: where its answer was lost, the repeated call has none. Then rotate it. */
  create: (endpoint: CreateWebhookEndpointRequest, options?: CallOptions) =>
    call('createWebhookEndpoint', { body: endpoint }, options),
  get: (endpointId: string, options?: CallOptions) => call('getWebhookEndpoint', { params: { endpointId } }, options),
  update: (endpointId: string, changes: UpdateWebhookEndpointRequest, options?: CallOptions) =>
    call('updateWebhookEndpoint', { params: { endpointId }, body: changes }, options),
  delete: (endpointId: string, options?: CallOptions) =>
    call('deleteWebhookEndpoint', { params: { endpointId } }, options),
  verify: (endpointId: string, options?: CallOptions) =>
    call('verifyWebhookEndpoint', { params: { endpointId } }, options),
  test: (endpointId: string, test: TestWebhookRequest, options?: CallOptions) =>
    call('testWebhookEndpoint', { params: { endpointId }, body: test }, options),
  rotateSecret: (endpointId: string, options?: CallOptions) =>
    call('rotateWebhookSecret', { params: { endpointId } }, options),
  recover: (endpointId: string, recovery: RecoverWebhookEndpointRequest, options?: CallOptions) =>
    call('recoverWebhookEndpoint', { params: { endpointId }, body: recovery }, options),
})

export interface WebhookDeliveries extends ReturnType<typeof webhookDeliveriesOf> {}

export const webhookDeliveriesOf = (call: Call) => ({
  /** One page, newest first. */
  list: (endpointId: string, query: { cursor?: string } = {}, options?: CallOptions) =>
    call('listWebhookDeliveries', { params: { endpointId }, query }, options),
  /** All of an endpoint, page by page as they are asked for. */
  all: (endpointId: string, options?: CallOptions) =>
    everyItem(
      (cursor) => call('listWebhookDeliveries', { params: { endpointId }, query: { cursor } }, options),
      ({ data }) => data,
    ),
  get: (deliveryId: string, options?: CallOptions) => call('getWebhookDelivery', { params: { deliveryId } }, options),
  replay: (deliveryId: string, options?: CallOptions) =>
    call('replayWebhookDelivery', { params: { deliveryId } }, options),
})

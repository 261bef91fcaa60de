import {
  CreatedEndpoint,
  CreateEndpointBody,
  DeletedEndpoint,
  EndpointParams,
  RotatedSecret,
  TestEventBody,
  TestResult,
  UpdateEndpointBody,
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookEventKindList,
} from '@mintmark/contract/wire/webhooks'
import { IDEMPOTENCY_KEY } from '../http/idempotency.ts'
import { type Route, route } from '../http/route.ts'
import { perMerchant, secretKey } from '../merchants/credential.ts'
import { merchantLookupFailed } from '../merchants/errors.ts'
import { invalidFields, notFound } from '../platform/errors.ts'
import { perEndpointRequest } from './credential.ts'
import { endpointDisabled, endpointPaused } from './delivery/errors.ts'
import {
  endpointLimit,
  endpointNotVerified,
  rotationInProgress,
  verificationFailed,
  webhooksDisabled,
} from './errors.ts'
import * as examples from './examples.ts'
import type { WebhookService } from './service.ts'
import * as wire from './wire.ts'

export function webhookRoutes(webhooks: WebhookService): Route[] {
  return [
    kindsRoute(),
    listRoute(webhooks),
    createRoute(webhooks),
    readRoute(webhooks),
    updateRoute(webhooks),
    deleteRoute(webhooks),
    verifyRoute(webhooks),
    testRoute(webhooks),
    rotateRoute(webhooks),
  ]
}

const COMMON = { tag: 'Webhooks', auth: [secretKey], limit: perMerchant, status: 200, noStore: true } as const
const ENDPOINTS = '/v1/webhook-endpoints'
const ENDPOINT = `${ENDPOINTS}/:endpointId`

function kindsRoute(): Route {
  return route({
    ...COMMON,
    method: 'GET',
    path: '/v1/webhook-event-types',
    operationId: 'listWebhookEventTypes',
    summary: 'List the kinds of events',
    description: 'With the JSON schema of the body of each, and an example.',
    response: WebhookEventKindList,
    example: { response: examples.KINDS_EXAMPLE },
    errors: [],
    handler: async () => wire.toWireKinds(),
  })
}

function listRoute(webhooks: WebhookService): Route {
  return route({
    ...COMMON,
    method: 'GET',
    path: ENDPOINTS,
    operationId: 'listWebhookEndpoints',
    summary: 'List the webhook endpoints',
    description: 'The oldest first. The `webhook_url` of the account, which its operator may set, is one of them.',
    response: WebhookEndpointList,
    example: { response: { data: [examples.ENDPOINT_EXAMPLE], next_cursor: null } },
    errors: [],
    handler: async ({ caller }) => wire.toWireList(await webhooks.list(caller.merchantId)),
  })
}

function createRoute(webhooks: WebhookService): Route {
  return route({
    ...COMMON,
    method: 'POST',
    path: ENDPOINTS,
    operationId: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description:
      'It begins paused and unverified, and is sent no event of before it was enabled. Its `signing_secret` is shown once: asked again with the same key, the answer is the same without it.',
    idempotencyKey: IDEMPOTENCY_KEY,
    body: CreateEndpointBody,
    check: (body) => webhooks.urlProblems(body),
    status: 201,
    response: CreatedEndpoint,
    example: { body: examples.CREATE_BODY, response: examples.CREATED_EXAMPLE },
    errors: [merchantLookupFailed, invalidFields, endpointLimit, webhooksDisabled],
    async handler({ caller, body, idempotencyKey }) {
      const { endpoint, once } = wire.fromWireCreate(body, idempotencyKey)
      return wire.toWireCreated(await webhooks.create(caller.merchantId, endpoint, once))
    },
  })
}

function readRoute(webhooks: WebhookService): Route {
  return route({
    ...COMMON,
    method: 'GET',
    path: ENDPOINT,
    operationId: 'getWebhookEndpoint',
    summary: 'Read a webhook endpoint',
    description: 'How it stands, and why it is not sent to if it is not.',
    params: EndpointParams,
    response: WebhookEndpoint,
    example: { response: examples.ENDPOINT_EXAMPLE },
    errors: [notFound],
    handler: async ({ caller, params }) => wire.toWireEndpoint(await webhooks.find(wire.fromWireRef(caller, params))),
  })
}

function updateRoute(webhooks: WebhookService): Route {
  return route({
    ...COMMON,
    method: 'PATCH',
    path: ENDPOINT,
    operationId: 'updateWebhookEndpoint',
    summary: 'Change a webhook endpoint',
    description:
      'What is absent stays. Another `url` has to be verified again: the endpoint is paused, its `revision` rises, and what was queued is cancelled. `enabled: false` pauses it, and what is queued waits. `enabled: true` needs a verified endpoint; one that the service disabled is verified anew first.',
    params: EndpointParams,
    body: UpdateEndpointBody,
    check: (body) => webhooks.urlProblems(body),
    response: WebhookEndpoint,
    example: { body: { enabled: true }, response: examples.ENDPOINT_EXAMPLE },
    errors: [merchantLookupFailed, invalidFields, notFound, endpointNotVerified, webhooksDisabled],
    async handler({ caller, params, body }) {
      const ref = wire.fromWireRef(caller, params)
      return wire.toWireEndpoint(await webhooks.update(ref, wire.fromWireChanges(body)))
    },
  })
}

function deleteRoute(webhooks: WebhookService): Route {
  return route({
    ...COMMON,
    method: 'DELETE',
    path: ENDPOINT,
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description: 'What was queued for it is cancelled. What was sent to it stays in the history.',
    params: EndpointParams,
    response: DeletedEndpoint,
    example: { response: examples.DELETED_EXAMPLE },
    errors: [notFound, webhooksDisabled],
    async handler({ caller, params }) {
      await webhooks.remove(wire.fromWireRef(caller, params))
      return { id: params.endpointId, deleted: true as const }
    },
  })
}

function verifyRoute(webhooks: WebhookService): Route {
  return route({
    ...COMMON,
    limit: perEndpointRequest,
    method: 'POST',
    path: `${ENDPOINT}/verify`,
    operationId: 'verifyWebhookEndpoint',
    summary: 'Verify a webhook endpoint',
    description:
      'Sends a signed `webhook.endpoint_verification` with a `challenge`. The endpoint answers with a 2xx status and a JSON object whose member `challenge` is that challenge, `{ "challenge": … }`, complete and within 4 KiB; members of its own do no harm. What it proves counts for its present URL. One that the service disabled can then be enabled again. It waits a second for its place among the requests to the endpoint; while another is on its way, the answer is 429.',
    params: EndpointParams,
    response: WebhookEndpoint,
    example: { response: examples.VERIFIED_EXAMPLE },
    errors: [merchantLookupFailed, notFound, verificationFailed, webhooksDisabled],
    handler: async ({ caller, params }) => wire.toWireEndpoint(await webhooks.verify(wire.fromWireRef(caller, params))),
  })
}

function testRoute(webhooks: WebhookService): Route {
  return route({
    ...COMMON,
    limit: perEndpointRequest,
    method: 'POST',
    path: `${ENDPOINT}/test`,
    operationId: 'testWebhookEndpoint',
    summary: 'Send a test event',
    description:
      'An event of example data, with `test: true`. It is in no feed. The endpoint has to be verified, and for a queued one enabled; it need not be subscribed to the kind. Like a delivery it waits for its place, a second at most; while another request to the endpoint is on its way, the answer is 429.',
    params: EndpointParams,
    body: TestEventBody,
    response: TestResult,
    example: { body: { type: 'payment.succeeded' }, response: examples.TEST_EXAMPLE },
    errors: [
      ...[merchantLookupFailed, notFound, endpointNotVerified, endpointPaused, endpointDisabled, webhooksDisabled],
    ],
    async handler({ caller, params, body }) {
      return wire.toWireTested(await webhooks.sendTest(wire.fromWireRef(caller, params), body))
    },
  })
}

function rotateRoute(webhooks: WebhookService): Route {
  return route({
    ...COMMON,
    method: 'POST',
    path: `${ENDPOINT}/rotate-secret`,
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'For 24 hours both secrets sign every request; only then can it be rotated again. The new one is shown once: asked again with the same key, the answer is the same without it. The endpoint of the `webhook_url` of the account shares its secret, which changes with it.',
    params: EndpointParams,
    idempotencyKey: IDEMPOTENCY_KEY,
    response: RotatedSecret,
    example: { response: examples.ROTATED_EXAMPLE },
    errors: [merchantLookupFailed, notFound, rotationInProgress, webhooksDisabled],
    async handler({ caller, params, idempotencyKey }) {
      const ref = wire.fromWireRef(caller, params)
      return wire.toWireRotated(await webhooks.rotate(ref, wire.fromWireRotate(ref, idempotencyKey)))
    },
  })
}

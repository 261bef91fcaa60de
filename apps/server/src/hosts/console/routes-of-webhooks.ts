import {
  ConsoleEndpoints,
  ConsoleEventParams,
  ConsoleEvents,
  ConsoleEventView,
  EventsQuery,
  ResendBody,
} from '@mintmark/contract/wire/console'
import {
  DeliveryParams,
  ListDeliveriesQuery,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
} from '@mintmark/contract/wire/deliveries'
import { EndpointParams } from '@mintmark/contract/wire/webhooks'
import type { ConsoleService } from '../../console/service.ts'
import { bodyOf } from '../../events/service.ts'
import { type Route, route } from '../../http/route.ts'
import { merchantLookupFailed } from '../../merchants/errors.ts'
import { invalidFields, notFound } from '../../platform/errors.ts'
import {
  deliveryExpired,
  endpointDisabled,
  endpointNotSubscribed,
  endpointPaused,
} from '../../webhooks/delivery/errors.ts'
import type { DeliveryService } from '../../webhooks/delivery/service.ts'
import { fromWireCursor, toWireDelivery, toWireDetail, toWireList } from '../../webhooks/delivery/wire.ts'
import { endpointNotVerified, webhooksDisabled } from '../../webhooks/errors.ts'
import type { WebhookService } from '../../webhooks/service.ts'
import { toWireEndpoint } from '../../webhooks/wire.ts'
import { READ, SUPPORT } from './common.ts'
import { toWireEvents, toWireSentRows } from './wire.ts'

export interface WebhookServices {
  console: ConsoleService
  webhooks: WebhookService
  deliveries: DeliveryService
}

/** How the events of an account reach its endpoints: the use cases of the main API, for a person. */
export function consoleWebhookRoutes({ console: people, webhooks, deliveries }: WebhookServices): Route[] {
  return [
    route({
      ...READ,
      path: '/api/webhooks',
      operationId: 'listConsoleEndpoints',
      summary: 'Where events go',
      response: ConsoleEndpoints,
      errors: [],
      handler: async ({ caller }) => ({ endpoints: (await webhooks.list(caller.merchantId)).map(toWireEndpoint) }),
    }),
    route({
      ...READ,
      path: '/api/webhooks/:endpointId/deliveries',
      operationId: 'listConsoleDeliveries',
      summary: 'Deliveries to an endpoint, the newest first',
      params: EndpointParams,
      query: ListDeliveriesQuery,
      response: WebhookDeliveryList,
      errors: [notFound, invalidFields],
      handler: async ({ caller: { merchantId }, params: { endpointId }, query }) =>
        toWireList(await deliveries.list({ merchantId, endpointId }, fromWireCursor(query.cursor))),
    }),
    route({
      ...READ,
      path: '/api/deliveries/:deliveryId',
      operationId: 'getConsoleDelivery',
      summary: 'A delivery with its attempts',
      params: DeliveryParams,
      response: WebhookDeliveryDetail,
      errors: [notFound],
      handler: async ({ caller: { merchantId }, params: { deliveryId } }) =>
        toWireDetail(await deliveries.find({ merchantId, deliveryId })),
    }),
    resendRoute(people, deliveries),
  ]
}

function resendRoute(people: ConsoleService, deliveries: DeliveryService): Route {
  return route({
    ...SUPPORT,
    path: '/api/deliveries/:deliveryId/resend',
    operationId: 'resendConsoleDelivery',
    summary: 'Send a delivery again',
    params: DeliveryParams,
    body: ResendBody,
    response: WebhookDelivery,
    errors: [
      ...[notFound, merchantLookupFailed, endpointNotVerified, endpointPaused, endpointDisabled],
      ...[webhooksDisabled, endpointNotSubscribed, deliveryExpired],
    ],
    async handler({ caller, params: { deliveryId }, body: { key } }) {
      const { merchantId } = caller
      const replayed = await deliveries.replay({ merchantId, deliveryId }, `console:${deliveryId}:${key}`)
      await people.noteAct(caller, 'delivery_resent', deliveryId)
      return toWireDelivery(await deliveries.find({ merchantId, deliveryId: replayed }))
    },
  })
}

/** What happened at an account. */
export function consoleEventRoutes(people: ConsoleService): Route[] {
  return [
    route({
      ...READ,
      path: '/api/events',
      operationId: 'listConsoleEvents',
      summary: 'Events of the account, the newest first',
      query: EventsQuery,
      response: ConsoleEvents,
      errors: [],
      handler: async ({ caller, query: { before } }) =>
        toWireEvents(await people.listEvents(caller, before === undefined ? undefined : BigInt(before))),
    }),
    route({
      ...READ,
      path: '/api/events/:eventId',
      operationId: 'getConsoleEvent',
      summary: 'An event, and where it went',
      params: ConsoleEventParams,
      response: ConsoleEventView,
      errors: [notFound],
      async handler({ caller, params }) {
        const { event, sent } = await people.readEvent(caller, params.eventId)
        return { event: JSON.parse(bodyOf(event)), deliveries: toWireSentRows(sent) }
      },
    }),
  ]
}

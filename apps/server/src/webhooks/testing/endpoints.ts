import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { answersBy, type Behaviour } from '../../../test/receivers/behaviours.ts'
import { type Receiver, startReceiver } from '../../../test/receivers/receiver.ts'
import type { ReceivedRequest } from '../../../test/receivers/request.ts'
import type { Answer, TestMerchant } from '../../../test/service.ts'

/** Endpoints on this machine, where the receivers of tests are. */
export const ON_THIS_MACHINE = { WEBHOOK_ALLOW_LOOPBACK: 'on' }

export const ENDPOINTS = '/v1/webhook-endpoints'

export const endpointBody = (url = 'https://shop.example/hooks', changes: object = {}) => ({
  name: 'Orders',
  url,
  events: ['payment.succeeded'],
  ...changes,
})

/** A request with a key, a new one unless it is given. */
export function keyed(as: TestMerchant, path: string, body?: unknown, key: string = randomUUID()): Promise<Answer> {
  return as.send('POST', path, body, { 'idempotency-key': key })
}

export interface MadeEndpoint {
  id: string
  secret: string
  path: string
}

export async function createEndpoint(as: TestMerchant, url?: string, changes?: object): Promise<MadeEndpoint> {
  const { status, body } = await keyed(as, ENDPOINTS, endpointBody(url, changes))
  expect({ status, body }).toMatchObject({ status: 201 })
  return { id: body.endpoint.id, secret: body.signing_secret, path: `${ENDPOINTS}/${body.endpoint.id}` }
}

/** Returns challenges, and acknowledges the rest with 204. */
export const obeys = (echo = (challenge: string) => JSON.stringify({ challenge })): Behaviour =>
  answersBy((request) => {
    const { type, challenge } = JSON.parse(request.body.toString())
    return type === 'webhook.endpoint_verification' ? { status: 200, body: echo(challenge) } : { status: 204 }
  })

/** An endpoint that is verified and enabled, at a receiver of its own; at this port, where one is given. */
export async function activeEndpoint(
  as: TestMerchant,
  changes?: object,
  port = 0,
): Promise<MadeEndpoint & { receiver: Receiver; last(): ReceivedRequest }> {
  const receiver = await startReceiver({ behaviour: obeys(), port })
  const made = await createEndpoint(as, receiver.url, changes)
  expect(await as.send('POST', `${made.path}/verify`)).toMatchObject({ status: 200, body: { state: 'paused' } })
  const enabled = await as.send('PATCH', made.path, { enabled: true })
  expect(enabled).toMatchObject({ status: 200, body: { state: 'active' } })
  return { ...made, receiver, last: () => lastOf(receiver) }
}

export function lastOf({ requests }: Receiver): ReceivedRequest {
  const last = requests.at(-1)
  if (last === undefined) throw new Error('Nothing was received.')
  return last
}

/** For the walk over all routes: one endpoint of each merchant, because there are at most five. */
export function endpointExamples({ merchant, other }: Record<'merchant' | 'other', TestMerchant>) {
  let made: Promise<MadeEndpoint[]> | undefined
  const ids = async () => {
    made ??= Promise.all([createEndpoint(merchant), createEndpoint(other)])
    const [own, theirs] = await made
    return { own: own?.id ?? '', theirs: theirs?.id ?? '' }
  }
  const nobodys = 'we_nobodys'
  const named = (endpointId: string, body?: object) => ({ params: { endpointId }, ...(body && { body }) })
  const foreign = async (body?: object) => ({
    theirs: named((await ids()).theirs, body),
    nobodys: named(nobodys, body),
    status: 404,
  })
  const kept = async (body?: object) => ({ own: named((await ids()).own, body), foreign: await foreign(body) })
  // These would send something, or end the one that the others need.
  const gone = async (body?: object) => ({ own: named(nobodys, body), foreign: await foreign(body) })
  return {
    listWebhookEventTypes: () => ({ own: {}, foreign: 'Names nothing: the kinds are everyone’s.' }),
    listWebhookEndpoints: () => ({ own: {}, foreign: 'Names nothing: the list is the caller’s.' }),
    createWebhookEndpoint: () => ({ own: { body: endpointBody() }, foreign: 'Names nothing that exists.' }),
    getWebhookEndpoint: () => kept(),
    updateWebhookEndpoint: () => kept({ name: 'Another name' }),
    rotateWebhookSecret: () => kept(),
    verifyWebhookEndpoint: () => gone(),
    testWebhookEndpoint: () => gone({ type: 'card.deleted' }),
    deleteWebhookEndpoint: () => gone(),
  }
}

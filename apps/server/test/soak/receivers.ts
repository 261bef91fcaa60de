import { setTimeout as delay } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import * as does from '../receivers/behaviours.ts'
import { type Receiver, startReceiver } from '../receivers/receiver.ts'
import type { ReceivedRequest } from '../receivers/request.ts'

/** A request as its receiver saw it, on the one clock of all receivers. */
export interface Seen {
  merchantId: string
  endpointId: string
  eventId: string
  deliveryId: string
  from: number
  to: number
  acknowledged: boolean
}

/** Whose requests a receiver takes, and what they are signed with. Set once its endpoint is made. */
export interface Place {
  merchantId: string
  endpointId: string
  secret: string
}

/** What a receiver may do instead of its work, and whether the sender may take it for an acknowledgement. */
const FAILURES: { share: number; behaviour: does.Behaviour; acknowledged: boolean }[] = [
  { share: 0.1, behaviour: does.answers(503), acknowledged: false },
  { share: 0.05, behaviour: does.answers(429, '', { 'retry-after': 2 }), acknowledged: false },
  { share: 0.05, behaviour: does.resetsSilently(), acknowledged: false },
  { share: 0.03, behaviour: does.closesSilently(), acknowledged: false },
  { share: 0.02, behaviour: does.says('no HTTP at all'), acknowledged: false },
  { share: 0.02, behaviour: does.closesEarly(200), acknowledged: true },
  // Until the sender gives up.
  { share: 0.01, behaviour: does.silent(), acknowledged: false },
]
/** Long enough that requests of an application meet. */
const MAX_WORK_MILLIS = 500

export type Receivers = ReturnType<typeof createReceivers>

/** Receivers that fail at random, half of them over TLS, and write down what they saw. */
export function createReceivers() {
  const seen: Seen[] = []
  /** Requests whose signature was not good, or whose body was not that of the event. */
  const forged: string[] = []
  const servers: Receiver[] = []
  let isFailing = true

  async function start(): Promise<{ url: string; take(place: Place): void }> {
    let place: Place | undefined
    const receiver = await startReceiver({
      tls: servers.length % 2 === 1,
      behaviour: {
        async answer(socket, request) {
          if (place === undefined) return echo.answer?.(socket, request)
          if (!isGood(request, place)) forged.push(request.headers['webhook-id'] ?? 'without an id')
          const one = noted(request, place)
          seen.push(one)
          const end = () => {
            one.to = Math.min(one.to, performance.now())
          }
          socket.once('close', end)
          await delay(5 + Math.random() * MAX_WORK_MILLIS)
          const { behaviour, acknowledged } = isFailing ? chance() : GOOD
          // The sender may act on an answer before this process hears that it is through.
          if (behaviour !== SILENT) end()
          one.acknowledged = acknowledged && !socket.destroyed
          await behaviour.answer?.(socket, request)
        },
      },
    })
    servers.push(receiver)
    return {
      url: receiver.url,
      take: (given) => {
        place = given
      },
    }
  }

  return {
    seen,
    forged,
    start,
    recover: () => {
      isFailing = false
    },
    open: () => seen.filter(({ to }) => to === Number.POSITIVE_INFINITY).length,
    close: () => Promise.all(servers.map((server) => server.close())),
  }
}

const GOOD = { behaviour: does.answers(204), acknowledged: true }
const SILENT = FAILURES.at(-1)?.behaviour
/** The challenge of a verification. */
const echo = does.answersBy(({ body }) => {
  const { challenge } = JSON.parse(body.toString())
  return { status: 200, body: JSON.stringify({ challenge }) }
})

function chance(): { behaviour: does.Behaviour; acknowledged: boolean } {
  let luck = Math.random()
  for (const failure of FAILURES) {
    luck -= failure.share
    if (luck < 0) return failure
  }
  return GOOD
}

function isGood({ headers, body }: ReceivedRequest, { secret, merchantId }: Place): boolean {
  try {
    const event = new Webhook(secret).verify(body.toString(), headers) as { id: string; account_id: string }
    return event.id === headers['webhook-id'] && event.account_id === merchantId
  } catch {
    return false
  }
}

function noted({ headers }: ReceivedRequest, { merchantId, endpointId }: Place): Seen {
  const [eventId = '', deliveryId = ''] = [headers['webhook-id'], headers['webhook-delivery-id']]
  const from = performance.now()
  return { merchantId, endpointId, eventId, deliveryId, from, to: Number.POSITIVE_INFINITY, acknowledged: false }
}

import type { DeliveryState, EndpointState } from '@mintmark/contract/webhooks'
import type { DeliveryTable } from '../../webhooks/story.ts'
import { deliveries } from './deliveries-en.ts'
import { incidents } from './incidents-en.ts'

/** Words of webhooks: endpoints, deliveries, and what does not arrive. */
export const en = {
  title: 'Webhooks',
  none: 'No endpoint yet. Events are in the feed all the same. The first endpoint comes by the API:',
  noneListen: 'Without a public address, see events as they come on your machine:',
  endpoints: 'Endpoints',
  endpointColumns: { endpoint: 'Endpoint', state: 'State', kinds: 'Gets', id: 'Id' },
  states: {
    active: 'Gets events',
    paused: 'Paused',
    unverified: 'Not verified',
    circuit_open: 'Paused by us',
    disabled: 'Disabled by us',
  } satisfies Record<EndpointState, string>,
  kinds: (count: number) => (count === 1 ? '1 kind of event' : `${count} kinds of events`),
  incidents,
  causeSeen: (cause: string) => `Cause seen: ${cause}`,
  waitingOf: (count: number, isMore: boolean) => {
    if (isMore) return `${count} events or more have not reached you. None is lost.`
    return count === 1
      ? 'One event has not reached you. It is not lost.'
      : `${count} events have not reached you. None is lost.`
  },
  toEndpoint: 'See what does not arrive',
  doIt: 'The line for the next step',

  back: 'Webhooks',
  attempts: 'Attempts a delivery',
  attemptsOf: (count: number) => (count === 1 ? 'The only delivery so far' : `The last ${count} deliveries`),
  attemptsText: (arrived: number, waiting: number, failed: number) =>
    `${arrived} arrived, ${waiting} wait, ${failed} did not arrive.`,
  oldest: 'oldest',
  newest: 'newest',
  figures: {
    delivered: 'Arrived',
    queued: 'Waiting',
    failed: 'Not arrived',
    answer: 'Middle answer',
  },
  noFigure: 'none yet',
  deliveries: 'Deliveries',
  deliveriesNone: 'Nothing was sent yet. Make something happen, or send a test:',
  filterBy: 'Which deliveries',
  all: 'All',
  deliveryStates: {
    queued: 'Waits',
    delivered: 'Arrived',
    failed: 'Did not arrive',
    cancelled: 'Cancelled',
  } satisfies Record<DeliveryState, string>,
  attemptOf: (count: number) => (count === 1 ? '1 attempt' : `${count} attempts`),
  answered: (status: number) => `answered ${status}`,
  noAnswer: 'no answer',
  test: 'Test',
  replay: 'Sent again',

  columns: { event: 'Event', state: 'State', attempts: 'Attempts', made: 'Queued' },
  story: deliveries satisfies DeliveryTable,
  next: (time: string) => `Next attempt ${time}, at the earliest.`,
  until: (time: string) => `It is tried until ${time}.`,
  attemptsTitle: 'Attempts',
  attemptsNone: 'None yet.',
  attempt: (number: number) => `Attempt ${number}`,
  inFlight: 'on its way, or lost with its process',
  took: (time: string) => `in ${time}`,
  body: 'What is sent',
  bodyGone: 'The body is not kept any more.',
  sendAgain: 'Send again',
  sentAgain: 'It is sent again. This is the new delivery.',
  resendRefusals: {
    ENDPOINT_NOT_VERIFIED: 'Its endpoint is not verified. Verify and enable it first.',
    ENDPOINT_PAUSED: 'Its endpoint is paused. Enable it first.',
    ENDPOINT_DISABLED: 'Its endpoint was disabled. Verify it anew and enable it first.',
    ENDPOINT_NOT_SUBSCRIBED: 'Its endpoint does not want this kind any more.',
    DELIVERY_EXPIRED: 'Its event is older than 30 days and cannot be sent again.',
    WEBHOOKS_DISABLED: 'The operator has switched the delivery of webhooks off. Read the feed meanwhile.',
    NOT_FOUND: 'Its endpoint is gone.',
  } as Record<string, string>,
  ids: { delivery: 'Delivery', event: 'Event', endpoint: 'Endpoint', replayOf: 'Repeats' },
  idsTitle: 'Ids',
}

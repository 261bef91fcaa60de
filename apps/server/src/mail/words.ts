import type { ContactRole, IncidentReason } from '@mintmark/contract'

/** What a mail says, before it is text or HTML. */
export interface Words {
  subject: string
  heading: string
  parts: readonly Part[]
  footer: string
}

type Part =
  | { type: 'text'; text: string }
  | { type: 'facts'; facts: readonly (readonly [name: string, value: string])[] }
  | { type: 'link'; text: string; url: string }

/** An incident as it is told: nothing that a URL may hide, such as a key in its query. */
export type IncidentFacts = {
  endpointId: string
  endpointName: string
  endpointHost: string
  reason: IncidentReason
  openedAt: string
  closedAt: string | null
  /** How it ended: the endpoint takes deliveries again, leads elsewhere now, or is no more. */
  end: 'recovered' | 'changed' | 'deleted'
}

interface Account {
  /** The name by which people know the operator. */
  operatorName: string
  merchantId: string
  merchantName: string
}

export const text = (words: string): Part => ({ type: 'text', text: words })

/** Asks whether an address is its owner's, who wants these mails. */
export function linkWords(account: Account, role: ContactRole, link: { url: string; endsAt: Date }): Words {
  return {
    subject: `Confirm your address for notices about ${account.merchantName}`,
    heading: 'Is this address yours?',
    parts: [
      text(
        `${account.operatorName} named this address as ${ARTICLES[role]} contact of the account ${account.merchantName}. ` +
          'Contacts are told when events do not reach an endpoint of the account. Nothing else is sent to them.',
      ),
      { type: 'link', text: 'Confirm the address', url: link.url },
      text(
        `The page works once, until ${shown(link.endsAt)}. If you do not know the account, do nothing: ` +
          'an address that was not confirmed gets no notices.',
      ),
    ],
    footer: footerOf(account),
  }
}

const ARTICLES: Readonly<Record<ContactRole, string>> = { developer: 'a developer', admin: 'an admin' }

/** Says that an endpoint does not get what it should: what, since when, what happens next, and what to do. */
export function openedWords(account: Account, incident: IncidentFacts): Words {
  const { what, next, advice } = REASONS[incident.reason]
  return {
    subject: `Events do not reach ${incident.endpointName}`,
    heading: `Events do not reach ${incident.endpointName}`,
    parts: [
      { type: 'facts', facts: [...factsOf(incident), ['Since', shown(new Date(incident.openedAt))]] },
      text(`What happened: ${what}`),
      text(`What the service does next: ${next}`),
      text(`What to do: ${advice.replace('{id}', incident.endpointId)}`),
      text(
        'No event is lost. All of them can be read with GET /v1/events for 30 days, and POST ' +
          `/v1/webhook-endpoints/${incident.endpointId}/recover sends again what was missed.`,
      ),
    ],
    footer: footerOf(account),
  }
}

/** Says that it is over. */
export function closedWords(account: Account, incident: IncidentFacts): Words {
  const { openedAt, closedAt, endpointName } = incident
  const { heading, words } = ENDS[incident.end]
  const end = closedAt === null ? [] : [['Until', shown(new Date(closedAt))] as const]
  return {
    subject: `${heading}: ${endpointName}`,
    heading: `${heading}: ${endpointName}`,
    parts: [{ type: 'facts', facts: [...factsOf(incident), ['From', shown(new Date(openedAt))], ...end] }, text(words)],
    footer: footerOf(account),
  }
}

const ENDS: Readonly<Record<IncidentFacts['end'], Record<'heading' | 'words', string>>> = {
  recovered: {
    heading: 'Recovered',
    words: 'Deliveries to the endpoint go on. There is nothing that you have to do.',
  },
  changed: {
    heading: 'Closed',
    words: 'The endpoint has another address now. Deliveries begin when it was verified and enabled.',
  },
  deleted: { heading: 'Closed', words: 'The endpoint was deleted. Nothing is sent to it any more.' },
}

const REASONS: Readonly<Record<IncidentReason, Record<'what' | 'next' | 'advice', string>>> = {
  circuit_open: {
    what: 'Five deliveries in a row were not acknowledged: the endpoint could not be reached, or did not answer with a 2xx in time.',
    next: 'Deliveries rest for five minutes, then one is sent to try. When it is acknowledged, the rest follows by itself; until then one is tried every five minutes. A delivery is given up 72 hours after it began.',
    advice:
      'See that the endpoint is up and answers with a 2xx within ten seconds. GET /v1/webhook-endpoints/{id}/deliveries shows what it answered.',
  },
  gone: {
    what: 'The endpoint answered 410 Gone, which means that it wants no more events.',
    next: 'The endpoint is disabled, and what was queued for it is cancelled. Nothing is sent until it is enabled again.',
    advice: 'If it was meant, nothing. If not, mend the endpoint, verify it and enable it.',
  },
  forbidden_address: {
    what: 'The host of the endpoint leads to an address that nothing may be sent to, such as one of a private network.',
    next: 'The endpoint is disabled, and what was queued for it is cancelled. Nothing is sent until it is enabled again.',
    advice:
      'Look at the DNS records of the host: someone may have changed them. Then verify the endpoint and enable it.',
  },
}

function factsOf({ endpointName, endpointHost, endpointId }: IncidentFacts): (readonly [string, string])[] {
  return [
    ['Endpoint', endpointName],
    ['Host', endpointHost],
    ['Endpoint id', endpointId],
  ]
}

function footerOf({ operatorName, merchantId, merchantName }: Account): string {
  return `Sent by ${operatorName} to a contact of ${merchantName} (${merchantId}). To be a contact no longer, ask them.`
}

/** `2026-11-22 04:05 UTC`. */
export function shown(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { limitStep } from '../../http/rate-limit-fields.ts'
import { checkParams } from '../../http/route-chain.ts'
import type { LinkState, MailService } from '../../mail/service.ts'
import type { PublicError } from '../../platform/errors.ts'
import { perContactLink } from './credential.ts'
import { documentOf, type PlainPage, plainPageHeaders } from './plain-page.ts'

/** Where a mailed link leads: merchant, contact and the secret of the link follow. */
export const CONTACT_PATH = '/contacts/'

/** What its owner reads: a link of a mail may be opened late, twice, or cut in half. */
const PAGES: Readonly<Record<LinkState, PlainPage>> = {
  ready: {
    title: 'Confirm your address',
    heading: 'Is this address yours?',
    text: 'Confirm it, and you are told when events do not reach an endpoint of the account. If the mail was not meant for you, close this page.',
    button: 'Confirm my address',
  },
  done: {
    title: 'Address confirmed',
    heading: 'Your address is confirmed',
    text: 'You are told when events do not reach an endpoint of the account. You can close this page.',
  },
  expired: {
    title: 'This link has ended',
    heading: 'This link has ended',
    text: 'It worked for seven days. Ask the operator of the service to send you another one.',
  },
  unknown: {
    title: 'This link does not work',
    heading: 'This link does not work',
    text: 'Open it again from the mail, or copy all of it. If a newer mail came, use the link in that one.',
  },
}
const STATUS: Readonly<Record<LinkState, number>> = { ready: 200, done: 200, expired: 410, unknown: 404 }

const BUSY: PlainPage = {
  title: 'One moment, please',
  heading: 'One moment, please',
  text: 'This page is asked for too often right now. Load it again in a minute.',
}
const BROKEN: PlainPage = {
  title: 'That did not work',
  heading: 'That did not work',
  text: 'The address cannot be confirmed right now. Load this page again in a moment.',
}

export function contactErrorPage({ status }: PublicError): PlainPage {
  if (status === 429) return BUSY
  return status >= 500 ? BROKEN : PAGES.unknown
}

interface Params {
  merchantId: string
  contactId: string
  token: string
}

/**
 * The page of a mailed link. Mail scanners open links before their reader does, so opening it changes nothing: its
 * button does. Without a script, so that it works in the browser that a mail program brings.
 */
export function serveContactPage({ mail, limiter }: { mail: MailService; limiter: RateLimiter }) {
  return (app: FastifyInstance): void => {
    const path = `${CONTACT_PATH}:merchantId/:contactId/:token`
    const onRequest = limitStep(limiter, perContactLink)
    app.get<{ Params: Params }>(path, { onRequest }, async ({ params }, reply) => {
      checkParams({ ...params })
      return show(reply, await mail.linkState(params, params.token))
    })
    app.post<{ Params: Params }>(path, { onRequest }, async ({ params }, reply) => {
      checkParams({ ...params })
      return show(reply, await mail.verifyContact(params, params.token))
    })
  }
}

function show(reply: FastifyReply, state: LinkState) {
  const headers = plainPageHeaders(state === 'ready' ? "'self'" : "'none'")
  return reply.code(STATUS[state]).headers(headers).send(documentOf(PAGES[state]))
}

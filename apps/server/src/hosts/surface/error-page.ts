import type { FastifyRequest } from 'fastify'
import type { ErrorPage } from '../../http/error-response.ts'
import type { PublicError } from '../../platform/errors.ts'
import { CONTACT_PATH, contactErrorPage } from './contact-page.ts'
import { documentOf, type PlainPage, plainPageHeaders } from './plain-page.ts'

const LOST: PlainPage = {
  title: 'Page not found',
  heading: 'This address leads nowhere',
  text: 'No payment is here. Open the link again from the page you came from, or copy all of it. Nothing was charged by opening this address.',
}

const BUSY: PlainPage = {
  title: 'One moment, please',
  heading: 'One moment, please',
  text: 'This page is asked for too often right now. Load it again in a minute. Nothing was charged by opening it.',
}

const BROKEN: PlainPage = {
  title: 'That did not work',
  heading: 'That did not work',
  text: 'The payment page cannot be shown right now. Load it again in a moment. Nothing was charged by opening it.',
}

/** A person who opens an address that gives no page reads why; a program gets the envelope, as on every host. */
export const errorPage: ErrorPage = (error, request) => {
  if (!isNavigation(request)) return null
  const words = request.url.startsWith(CONTACT_PATH) ? contactErrorPage(error) : wordsOf(error)
  return { body: documentOf(words), headers: plainPageHeaders() }
}

function wordsOf({ status }: PublicError): PlainPage {
  if (status === 429) return BUSY
  return status >= 500 ? BROKEN : LOST
}

function isNavigation({ method, url, headers }: FastifyRequest): boolean {
  // The button of a page sends a POST, and shows what comes back.
  const isPage = method === 'GET' || url.startsWith(CONTACT_PATH)
  return isPage && /\btext\/html\b/.test(headers.accept ?? '') && !/^\/api(?:[/?]|$)/.test(url)
}

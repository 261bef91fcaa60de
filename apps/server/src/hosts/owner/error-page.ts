import type { ErrorPage } from '../../http/error-response.ts'
import type { PublicError } from '../../platform/errors.ts'
import { documentOf, type PlainPage, plainPageHeaders } from '../surface/plain-page.ts'

const LOST: PlainPage = {
  title: 'Page not found',
  heading: 'This address leads nowhere',
  text: 'Open the link again from where you got it, or copy all of it. Nothing was allowed by opening this address.',
}
const BUSY: PlainPage = {
  title: 'One moment, please',
  heading: 'One moment, please',
  text: 'This page is asked for too often right now. Load it again in a minute.',
}
const BROKEN: PlainPage = {
  title: 'That did not work',
  heading: 'That did not work',
  text: 'The page cannot be shown right now. Load it again in a moment. Nothing was allowed by opening it.',
}

/** A person who opens an address that gives no page reads why; a program gets the envelope, as on every host. */
export const ownerErrorPage: ErrorPage = (error, { method, url, headers }) => {
  const isNavigation = method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '') && !/^\/api(?:[/?]|$)/.test(url)
  return isNavigation ? { body: documentOf(wordsOf(error)), headers: plainPageHeaders() } : null
}

function wordsOf({ status }: PublicError): PlainPage {
  if (status === 429) return BUSY
  return status >= 500 ? BROKEN : LOST
}

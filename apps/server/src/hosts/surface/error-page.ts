import { SENTENCE_LANGUAGES } from '@mintmark/contract/sentence/version'
import type { FastifyRequest } from 'fastify'
import { preferredLanguage } from '../../http/accept-language.ts'
import type { ErrorPage } from '../../http/error-response.ts'
import { CONTACT_PATH, contactErrorPage } from './contact-page.ts'
import { ERROR_WORDS } from './error-words.ts'
import { documentOf, pageOfStatus, plainPageHeaders } from './plain-page.ts'

/**
 * A person who opens an address that gives no page reads why, in their language; a program gets the envelope, as on
 * every host.
 */
export const errorPage: ErrorPage = (error, request) => {
  if (!isNavigation(request)) return null
  // The page of a mailed link: what its owner reads, which is English.
  if (request.url.startsWith(CONTACT_PATH)) {
    return { body: documentOf(contactErrorPage(error)), headers: plainPageHeaders() }
  }
  const language = preferredLanguage(request.headers['accept-language'], SENTENCE_LANGUAGES)
  const headers = { ...plainPageHeaders(), 'content-language': language, vary: 'accept-language' }
  return { body: documentOf(pageOfStatus(error.status, ERROR_WORDS[language]), language), headers }
}

function isNavigation({ method, url, headers }: FastifyRequest): boolean {
  // The button of a page sends a POST, and shows what comes back.
  const isPage = method === 'GET' || url.startsWith(CONTACT_PATH)
  return isPage && /\btext\/html\b/.test(headers.accept ?? '') && !/^\/api(?:[/?]|$)/.test(url)
}

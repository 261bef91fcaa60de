import type { FastifyInstance } from 'fastify'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { type BuiltPage, loadPage } from '../surface/page.ts'
import { servePaths } from '../surface/page-paths.ts'

const BUILT_PAGE = new URL('../../../../console/dist/index.html', import.meta.url)
const PATHS = [
  ...['/', '/payments', '/payments/:id', '/permissions', '/permissions/:id', '/events', '/events/:id'],
  ...['/webhooks', '/webhooks/:id', '/deliveries/:id', '/keys'],
  ...['/invitation', '/team', '/acts', '/me'],
]

let loaded: Promise<BuiltPage> | undefined

/** Read once a process, as the pages of cardholders are. */
export function loadConsolePage(): Promise<BuiltPage> {
  loaded ??= loadPage(BUILT_PAGE, 'console').catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  return loaded
}

/** One document at every address: it shows nothing of an account until its script has asked. No page may frame it. */
export const serveConsolePage = (deps: { page: BuiltPage; limiter: RateLimiter }) => (app: FastifyInstance) =>
  servePaths(app, PATHS, deps)

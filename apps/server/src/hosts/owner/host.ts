import type { FastifyInstance } from 'fastify'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { type BuiltPage, loadPage } from '../surface/page.ts'
import { servePaths } from '../surface/page-paths.ts'

const BUILT_PAGE = new URL('../../../../wallet/dist/index.html', import.meta.url)
const PATHS = [
  ...['/', '/me', '/passkeys', '/stop-recovery', '/links/:id', '/escalations/:id', '/agents/:id'],
  ...['/permissions', '/permissions/:id', '/cards', '/activity', '/activity/:id'],
]

let loaded: Promise<BuiltPage> | undefined

/** Read once a process, as the pages of cardholders are. */
export function loadOwnerPage(): Promise<BuiltPage> {
  loaded ??= loadPage(BUILT_PAGE, 'page of owners').catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  return loaded
}

/** One document at every address: it shows nothing of an owner until its script has asked. No page may frame it. */
export const serveOwnerPage = (deps: { page: BuiltPage; limiter: RateLimiter }) => (app: FastifyInstance) =>
  servePaths(app, PATHS, deps)

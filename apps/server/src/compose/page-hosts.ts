import type { FastifyInstance } from 'fastify'
import { consoleCredentials } from '../console/credential.ts'
import { consoleErrorPage } from '../hosts/console/error-page.ts'
import { loadConsolePage, serveConsolePage } from '../hosts/console/host.ts'
import { ownerErrorPage } from '../hosts/owner/error-page.ts'
import { loadOwnerPage, serveOwnerPage } from '../hosts/owner/host.ts'
import { type HostCookie, hostCookie } from '../http/cookie.ts'
import { buildHost, type HostOptions } from '../http/host.ts'
import { ownerCredentials } from '../owners/credential.ts'
import type { Features } from './features.ts'
import type { Ground } from './ground.ts'

// The hosts of people who sign in: each is one page, its backend, and a cookie of its own.

/** Where the page of owners is, and the cookie of its host; null: there is none. */
export function ownerPlace({ ownerUrl }: Ground['config']) {
  return ownerUrl === null ? null : { ownPages: ownerUrl, cookie: hostCookie('mintmark_owner', ownerUrl) }
}

/** The same of the console. */
export function consolePlace({ consoleUrl }: Ground['config']) {
  return consoleUrl === null ? null : { ownPages: consoleUrl, cookie: hostCookie('mintmark_console', consoleUrl) }
}

type PageHost = Omit<HostOptions, 'name' | 'credentials'> & { cookie: HostCookie }

export async function buildOwnerHost(
  { cookie, ...options }: PageHost,
  owners: Features['owners'],
): Promise<FastifyInstance> {
  const page = await loadOwnerPage()
  return buildHost({
    ...options,
    name: 'owner',
    credentials: ownerCredentials(owners, cookie),
    errorPage: ownerErrorPage,
    extra: serveOwnerPage({ page, limiter: options.limiter }),
  })
}

export async function buildConsoleHost(
  { cookie, ...options }: PageHost,
  people: Features['console'],
): Promise<FastifyInstance> {
  const page = await loadConsolePage()
  return buildHost({
    ...options,
    name: 'console',
    credentials: consoleCredentials(people, cookie),
    errorPage: consoleErrorPage,
    extra: serveConsolePage({ page, limiter: options.limiter }),
  })
}

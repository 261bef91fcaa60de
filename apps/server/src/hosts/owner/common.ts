import { PAGE_TOKEN_HEADER } from '@mintmark/contract/page-token'
import { cookieHeader, type HostCookie, WithCookie } from '../../http/cookie.ts'
import { ownerSession, perOwner } from '../../owners/credential.ts'
import type { OwnerCaller, OwnerService } from '../../owners/service.ts'
import { pageTokenOf } from '../../owners/token.ts'

/** What is the same of all routes of an owner who is signed in. */
export const OWNERS = { tag: 'Owners', auth: [ownerSession], limit: perOwner, status: 200, noStore: true } as const

/** The answer where there is nothing to say. */
export const DONE = { done: true } as const

/** The answer to an owner who has just used the passkey, with another token for the session. */
export async function afterPasskey<Result>(
  [owners, cookie]: readonly [Pick<OwnerService, 'rotate'>, HostCookie],
  caller: OwnerCaller,
  result: Result,
): Promise<Result | WithCookie<Result>> {
  const rotated = await owners.rotate(caller)
  if (rotated === undefined) return result
  const seconds = Math.max(0, Math.floor((rotated.expiresAt.getTime() - rotated.at.getTime()) / 1000))
  return new WithCookie(result, cookieHeader(cookie, rotated.token, seconds), {
    [PAGE_TOKEN_HEADER]: pageTokenOf(rotated.digest),
  })
}

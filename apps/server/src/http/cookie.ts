import type { IncomingHttpHeaders } from 'node:http'

/** A cookie of one host, which no script reads and no other site sends. */
export interface HostCookie {
  name: string
  isSecure: boolean
}

/** `__Host-` binds it to this host and path, and needs https, which only localhost does without. */
export function hostCookie(name: string, origin: string): HostCookie {
  const isSecure = origin.startsWith('https://')
  return { name: isSecure ? `__Host-${name}` : name, isSecure }
}

/** The value of the cookie, if the request has it once: where two have one name, the server cannot know which is ours. */
export function readCookie({ name }: HostCookie, { cookie = '' }: IncomingHttpHeaders): string | undefined {
  const values = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  return values.length === 1 ? values[0] : undefined
}

/** `Set-Cookie` for so many seconds; zero takes it away. */
export function cookieHeader({ name, isSecure }: HostCookie, value: string, seconds: number): string {
  const secure = isSecure ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
}

/** What a handler returns together with a cookie. */
export class WithCookie<Result> {
  readonly result: Result
  readonly header: string

  constructor(result: Result, header: string) {
    this.result = result
    this.header = header
  }
}

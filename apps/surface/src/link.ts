/** What the address of the page says: which session, and the secret that opens it. */
export interface SurfaceLink {
  merchantId: string
  sessionId: string
  launchSecret: string
  /** A frame has opened this tab, and waits for it. */
  isOpened: boolean
}

/** What a frame adds to the link that it opens in a tab. */
const OPENED = '&opened'

export function tabAddress(pathname: string, launchSecret: string, fromFrame: boolean): string {
  return `${pathname}#${encodeURIComponent(launchSecret)}${fromFrame ? OPENED : ''}`
}

/** Where the cardholder stops what they have allowed the merchant of this page. */
export const permissionsAddress = (pathname: string): string => `/permissions/${pathname.split('/')[2]}`

/**
 * `/s/{merchant_id}/{session_id}#{launch_secret}`; null when a part is missing, as in a link copied without its end.
 */
export function parseLink(address: { pathname: string; hash: string }): SurfaceLink | null {
  const [, merchantId, sessionId] = /^\/s\/([^/]+)\/([^/]+)\/?$/.exec(address.pathname) ?? []
  const isOpened = address.hash.endsWith(OPENED)
  const launchSecret = address.hash.slice(1, isOpened ? -OPENED.length : undefined)
  if (!merchantId || !sessionId || !launchSecret) return null
  try {
    return {
      merchantId: decodeURIComponent(merchantId),
      sessionId: decodeURIComponent(sessionId),
      launchSecret: decodeURIComponent(launchSecret),
      isOpened,
    }
  } catch {
    return null // A broken percent escape is a broken link.
  }
}

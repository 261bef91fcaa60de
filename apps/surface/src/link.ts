/** What the address of the page says: which session, and the secret that opens it. */
export interface SurfaceLink {
  merchantId: string
  sessionId: string
  launchSecret: string
}

/** `/s/{merchant_id}/{session_id}#{launch_secret}`; null when a part is missing, as in a link copied without its end. */
export function parseLink(address: { pathname: string; hash: string }): SurfaceLink | null {
  const [, merchantId, sessionId] = /^\/s\/([^/]+)\/([^/]+)\/?$/.exec(address.pathname) ?? []
  const launchSecret = address.hash.replace(/^#/, '')
  if (!merchantId || !sessionId || !launchSecret) return null
  try {
    return {
      merchantId: decodeURIComponent(merchantId),
      sessionId: decodeURIComponent(sessionId),
      launchSecret: decodeURIComponent(launchSecret),
    }
  } catch {
    return null // A broken percent escape is a broken link.
  }
}

// Which domain the passkeys of the pages are of.

interface Pages {
  surfaceUrl: string
  ownerUrl: string | null
  consoleUrl: string | null
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : url
}

/** A browser lets a page use the passkeys of its own host, and of a domain above it. */
export const isBelow = (url: string, domain: string) => hostOf(url) === domain || hostOf(url).endsWith(`.${domain}`)

/**
 * Which host is above both, if one is. A domain above that neither of them is cannot be guessed: it may be one below
 * which everybody has names, such as `co.uk`, and then no browser takes it.
 */
export function commonHost({ surfaceUrl, ownerUrl }: Omit<Pages, 'consoleUrl'>): string {
  const isUpper = ownerUrl !== null && isBelow(surfaceUrl, hostOf(ownerUrl))
  return isUpper ? hostOf(ownerUrl) : hostOf(surfaceUrl)
}

/** Browsers ask the host of the relying party, over TLS on the usual port, which other origins are related to it. */
const canRelate = (surfaceUrl: string, rpId: string) => surfaceUrl === `https://${rpId}`

/** What is no address is a problem of its own. */
export function rpProblems({ surfaceUrl, ownerUrl, consoleUrl }: Pages, rpId: string): string[] {
  const isRelated = canRelate(surfaceUrl, rpId)
  const others = isRelated ? {} : { OWNER_URL: ownerUrl, CONSOLE_URL: consoleUrl }
  return Object.entries({ SURFACE_URL: surfaceUrl, ...others })
    .filter((page): page is [string, string] => page[1] !== null && URL.canParse(page[1]) && !isBelow(page[1], rpId))
    .map(
      ([name, url]) =>
        `${name} must be at ${rpId} or below it, and ${hostOf(url)} is not: set RP_ID to a domain above all of them`,
    )
}

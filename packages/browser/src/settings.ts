import { COLOUR, contrastOf, GROUNDS, MIN_CONTRAST } from './contrast.ts'
import { type MintmarkError, sdkError } from './error.ts'
import type { Callbacks, Settings, Styles, SurfaceOptions } from './options.ts'

const CALLBACKS = ['onReady', 'onChange', 'onSuccess', 'onError', 'onDismiss'] as const
const OPTIONS = ['sessionToken', 'iframeUrl', 'container', 'presentation', 'styles', ...CALLBACKS]
const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\]|.+\.localhost)$/

function invalid(message: string): MintmarkError {
  return sdkError('INVALID_CONFIG', message)
}

/** The environment that a publishable key is of. */
export function readKey(config: unknown): 'sandbox' | 'production' {
  const key = fieldsOf(config, ['publishableKey'], 'new Mintmark').publishableKey
  if (typeof key !== 'string') throw invalid('publishableKey is missing.')
  if (/^[sw]k_/.test(key)) {
    throw invalid(
      'publishableKey is a secret key. Take it out of this page, and revoke it: everybody can read it here.',
    )
  }
  if (!/^pk_(?:test|live)_\S+$/.test(key)) throw invalid('publishableKey begins with pk_test_ or pk_live_.')
  return key.startsWith('pk_test_') ? 'sandbox' : 'production'
}

/** Throws an error that names the first option that is wrong. */
export function readOptions(options: unknown, environment: string): Settings {
  const given = fieldsOf(options, OPTIONS, 'the options') as Partial<Record<keyof SurfaceOptions, unknown>>
  const { url, merchantId, sessionId } = readUrl(given.iframeUrl)
  checkToken(given.sessionToken, { environment, merchantId, sessionId })
  const callbacks: Record<string, unknown> = {}
  for (const name of CALLBACKS) {
    if (given[name] !== undefined && typeof given[name] !== 'function') throw invalid(`${name} is no function.`)
    callbacks[name] = given[name]
  }
  return {
    url,
    sessionId,
    container: placeOf(given.presentation ?? 'inline', given.container),
    styles: readStyles(given.styles),
    callbacks: callbacks as Callbacks,
  }
}

function fieldsOf(value: unknown, known: readonly string[], where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw invalid(`${where}: there is no object.`)
  const stranger = Object.keys(value).find((key) => !known.includes(key))
  if (stranger !== undefined) throw invalid(`${where}: there is no "${stranger}". Known: ${known.join(', ')}.`)
  return value as Record<string, unknown>
}

function readUrl(text: unknown) {
  if (typeof text !== 'string' || !URL.canParse(text)) throw invalid('iframeUrl is no address.')
  const url = new URL(text)
  const isLocal = url.protocol === 'http:' && LOCAL.test(url.hostname)
  if (url.protocol !== 'https:' && !isLocal) throw invalid('iframeUrl begins with https://, or http://localhost.')
  const [, merchantId, sessionId] = /^\/s\/([^/]+)\/([^/]+)\/?$/.exec(url.pathname) ?? []
  if (!merchantId || !sessionId || url.username || url.password)
    throw invalid('iframeUrl is no iframe_url of a session.')
  if (url.hash.length < 2) {
    throw invalid('iframeUrl has lost its end, from # on. Use iframe_url exactly as the API returned it.')
  }
  return { url, merchantId, sessionId }
}

/** Whose token it is says the token. It is not verified here, and opens nothing here: what is checked is that nothing was mixed up. */
function checkToken(token: unknown, of: { environment: string; merchantId: string; sessionId: string }): void {
  const claims = claimsOf(token)
  if (claims === null) throw invalid('sessionToken is no session_token of a session.')
  if (claims.sub !== of.sessionId || claims.mid !== of.merchantId) {
    throw invalid('sessionToken and iframeUrl are of different sessions.')
  }
  if (claims.iss !== `mintmark:${of.environment}`) {
    throw invalid(`publishableKey is of the ${of.environment}, and the session is not.`)
  }
}

function claimsOf(token: unknown): Record<string, unknown> | null {
  try {
    const [, claims = ''] = String(token).split('.')
    const read: unknown = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/')))
    return typeof read === 'object' ? (read as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}

function placeOf(presentation: unknown, container: unknown): Element | null {
  if (presentation === 'sheet') return null
  if (presentation !== 'inline') throw invalid('presentation is "inline" or "sheet".')
  const place = typeof container === 'string' ? find(container) : container
  if (!(place instanceof Element)) throw invalid('container is no element, and no selector of one, of this page.')
  if (!place.isConnected) throw invalid('container is not in the page yet.')
  return place
}

function find(selector: string): Element | null {
  try {
    return document.querySelector(selector)
  } catch {
    return null
  }
}

function readStyles(styles: unknown): Settings['styles'] {
  const given = fieldsOf(styles ?? {}, ['accent', 'accentDark', 'radius', 'scheme'], 'styles') as Partial<
    Record<keyof Styles, unknown>
  >
  const { radius = null, scheme = 'light' } = given
  const accent = accentOf('accent', given.accent, 'light')
  const accentDark = accentOf('accentDark', given.accentDark, 'dark')
  if (radius !== null && !(typeof radius === 'number' && radius >= 0 && radius <= 32)) {
    throw invalid('styles.radius is a number of pixels from 0 to 32.')
  }
  if (scheme !== 'light' && scheme !== 'dark' && scheme !== 'auto') {
    throw invalid('styles.scheme is "light", "dark" or "auto".')
  }
  return { accent, accentDark, radius, scheme }
}

/** As the service judges the accents of a merchant: no colour is far enough from white and from black, so each scheme has its own. */
function accentOf(name: 'accent' | 'accentDark', colour: unknown, scheme: keyof typeof GROUNDS): string | null {
  if (colour === undefined || colour === null) return null
  if (typeof colour !== 'string' || !COLOUR.test(colour)) throw invalid(`styles.${name} is a colour like #0b6b57.`)
  const contrast = contrastOf(colour, GROUNDS[scheme])
  if (contrast >= MIN_CONTRAST) return colour
  // Rounded down: what is refused must not read as if it was enough.
  const ratio = (Math.floor(contrast * 100) / 100).toFixed(2)
  throw invalid(`styles.${name} needs ${MIN_CONTRAST}:1 against the ${scheme} page: ${colour} is ${ratio}:1.`)
}

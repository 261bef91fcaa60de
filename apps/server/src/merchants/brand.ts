import { createHash } from 'node:crypto'
import { COLOUR, contrastOf, GROUNDS, MIN_CONTRAST } from '@mintmark/contract/colours'
import { BRAND_SCHEMES, MAX_BRAND_RADIUS } from '@mintmark/contract/surface'
import type { SurfaceBrand } from '@mintmark/contract/wire/surface'
import type { Pool } from 'pg'
import { type CommandDeps, single } from '../db/command.ts'
import { type ErrorDetails, fieldErrors, notFound } from '../platform/errors.ts'
import * as store from './brand-store.ts'

// How a merchant's pages look. It dresses the sheet, and never touches amount, payee, sentence or the button's words.

/** What is absent stays; null: the page's own. */
export interface BrandChanges {
  /** A PNG. */
  logo?: Buffer | null
  accent?: string | null
  accentDark?: string | null
  radius?: number | null
  scheme?: string | null
}

/** `NOT_FOUND` for no such merchant, `VAL_2001` for what no page could wear. */
export async function setBrand(deps: CommandDeps, merchantId: string, changes: BrandChanges): Promise<SurfaceBrand> {
  const { logo: image, ...looks } = changes
  const details = problemsOf(looks)
  const logo = image instanceof Buffer ? await cleaned(image, details) : image
  if (Object.keys(details).length > 0) throw fieldErrors(details)
  const logoUrl = logo instanceof Buffer ? logoPath(merchantId, logo) : null
  const { accent, accentDark: accent_dark, radius, scheme } = looks
  const given = { accent, accent_dark, radius, scheme, ...(logo !== undefined && { logo_url: logoUrl }) }
  const set = await single(deps, { name: 'merchants.set_brand', silent: 'operator' }, ({ on }) =>
    store.updateBrand(on, {
      merchantId,
      changes: given,
      changesLogo: logo !== undefined,
      logo: logo ?? null,
    }),
  )
  if (set === undefined) throw notFound()
  return set.brand ?? {}
}

/** The image that a page of this merchant names, and none that was replaced. */
export async function findLogo({ pool }: { pool: Pool }, merchantId: string, name: string): Promise<Buffer | null> {
  const found = await store.findLogo(pool, { merchantId, logoUrl: `${LOGOS}${merchantId}/${name}` })
  return found?.logo ?? null
}

/** Where the surface serves logos. */
const LOGOS = '/logos/'
/** It changes with the image, which may so be kept for ever. */
export const logoPath = (owner: string, image: Buffer) =>
  `${LOGOS}${owner}/${createHash('sha256').update(image).digest('hex').slice(0, 32)}.png`

async function cleaned(image: Buffer, details: ErrorDetails): Promise<Buffer | undefined> {
  const { cleanPng } = await import('../platform/png.ts')
  const cleaned = cleanPng(image)
  if ('bytes' in cleaned) return cleaned.bytes
  details.logo = cleaned.problem
  return undefined
}

function problemsOf({ accent, accentDark, radius, scheme }: Omit<BrandChanges, 'logo'>): ErrorDetails {
  const details: ErrorDetails = {}
  const isWhole = radius === undefined || radius === null || Number.isInteger(radius)
  if (!isWhole || Number(radius) < 0 || Number(radius) > MAX_BRAND_RADIUS)
    details.radius = `must be a whole number of pixels from 0 to ${MAX_BRAND_RADIUS}`
  if (typeof scheme === 'string' && !BRAND_SCHEMES.some((one) => one === scheme))
    details.scheme = `must be one of ${BRAND_SCHEMES.join(', ')}`
  for (const [field, colour, own] of [
    ['accent', accent, 'light'],
    ['accent_dark', accentDark, 'dark'],
  ] as const) {
    const problem = typeof colour === 'string' ? accentProblem(colour, own) : null
    if (problem !== null) details[field] = problem
  }
  return details
}

/** No colour is far enough from white and from black: each scheme has its own, and what it would be in the other is said as well. */
function accentProblem(colour: string, own: keyof typeof GROUNDS): string | null {
  if (!COLOUR.test(colour)) return 'must be a colour such as #0b6b55'
  if (contrastOf(colour, GROUNDS[own]) >= MIN_CONTRAST) return null
  const other = own === 'light' ? 'dark' : 'light'
  return `must be ${MIN_CONTRAST}:1 or more against the ${own} page: ${colour} is ${ratio(colour, own)} (and ${ratio(colour, other)} against the ${other} one)`
}

/** Rounded down: what is refused must not read as if it was enough. */
const ratio = (colour: string, scheme: keyof typeof GROUNDS) =>
  `${(Math.floor(contrastOf(colour, GROUNDS[scheme]) * 100) / 100).toFixed(2)}:1`

import { BASE32_ALPHABET, ID_PREFIXES } from '../../platform/ids.ts'

// The names of a shop's goods on our wire: opaque to callers, they lead back to the shop and to its own id. Nothing of them is
// secret, and nothing is believed because of them: the shop is asked, and what is not there is not found.

const PREFIXES = { product: 'prod_', variant: 'var_' } as const
type Kind = keyof typeof PREFIXES

/** As much as fits into a path. */
const MAX_LENGTH = 255
/** What needs no escape anywhere stays readable. */
const PLAIN = /^[A-Za-z0-9_-]+$/

/** What one shop calls one of its goods. */
export interface ForeignName {
  shopId: string
  foreignId: string
}

/** `prod_<shop>.<its id>`, or `prod_<shop>~<its id in base64url>`. Undefined: it has none that is short enough. */
export function nameOf(kind: Kind, { shopId, foreignId }: ForeignName): string | undefined {
  const shop = shopId.slice(ID_PREFIXES.shop.length)
  const id = PLAIN.test(foreignId) ? `.${foreignId}` : `~${Buffer.from(foreignId, 'utf8').toString('base64url')}`
  const name = PREFIXES[kind] + shop + id
  return name.length > MAX_LENGTH ? undefined : name
}

const NAME = new RegExp(`^(?<shop>[${BASE32_ALPHABET}]{26})(?:\\.(?<plain>[A-Za-z0-9_-]+)|~(?<coded>[A-Za-z0-9_-]+))$`)

/** Undefined: no name of ours. */
export function readName(kind: Kind, name: string): ForeignName | undefined {
  const prefix = PREFIXES[kind]
  if (name.length > MAX_LENGTH || !name.startsWith(prefix)) return undefined
  const { shop = '', plain, coded = '' } = NAME.exec(name.slice(prefix.length))?.groups ?? {}
  if (shop === '') return undefined
  const found = { shopId: ID_PREFIXES.shop + shop, foreignId: plain ?? decoded(coded) }
  // One name for each: other spellings of the same are none.
  return nameOf(kind, found) === name ? found : undefined
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8')
}

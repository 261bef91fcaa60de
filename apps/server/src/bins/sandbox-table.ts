import type { BinRange } from './rules.ts'

/** The sandbox has these until a table is imported: the test cards, and nothing else. */
export const SANDBOX_RANGES: readonly BinRange[] = [
  { first: 30569309, last: 30569309, country: 'DE', issuer: 'Sandbox Bank' },
  { first: 35660020, last: 35660020, country: 'JP', issuer: 'Sandbox Bank' },
  { first: 37828224, last: 37828224, country: 'US', issuer: 'Sandbox Express' },
  { first: 40000000, last: 40000099, country: 'US', issuer: 'Sandbox Bank' },
  { first: 42424242, last: 42424242, country: 'US', issuer: 'Sandbox Bank' },
  { first: 55555555, last: 55555555, country: 'GB', issuer: 'Sandbox Bank' },
  { first: 60111111, last: 60111111, country: 'US', issuer: 'Sandbox Bank' },
  { first: 62000000, last: 62000000, country: 'CN', issuer: 'Sandbox Bank' },
]

import { STATEMENTS, type Statements, WITH_WORK_TABLE } from './statements.ts'

/** What was open, and is decided by figures. */
export const VARIANTS = {
  /** A purchase is a row of `charges`, its work is in the row, an approval is one statement. */
  shape: {},
  /** What differs from the first is noise. */
  'shape again': {},
  /** Work in a table of its own. */
  'work table': { statements: WITH_WORK_TABLE },
  /** An approval is four statements in one transaction, two waits. */
  pipelined: { pipelines: true },
  /** Purchases have a table of their own, and charges are of standing mandates alone. */
  'own table': { ownTable: true },
  /** A session is named by its charge, so that the one key finds both. */
  keyed: { keyed: true },
  /** No CHECK, no foreign key. */
  unchecked: { left: /(?!)/ },
  /** No foreign key. */
  'without keys': { left: /check/ },
  /** Those CHECKs of charges that are about state and credential, and no foreign key. */
  'few checks': { left: /check \((status = any|credential_sealed|charge_count|approved_minor)/ },
  /** No events are numbered: what that costs, beside the callers. */
  unnumbered: { unnumbered: true },
} as const satisfies Record<string, Variant>
export type VariantName = keyof typeof VARIANTS

export interface Variant {
  readonly statements?: Partial<Statements>
  readonly pipelines?: boolean
  readonly ownTable?: boolean
  readonly keyed?: boolean
  /** Which constraints of a table stay, beside its keys. */
  readonly left?: RegExp
  readonly unnumbered?: boolean
}

/** For standing mandates, where purchases are elsewhere. */
const OF_STANDING = ['open', 'mintedStanding', 'reportStanding', 'paidStanding']

export function statementsOf(name: VariantName): Record<string, string> {
  const { statements, ownTable, keyed }: Variant = VARIANTS[name]
  const all: Record<string, string> = { ...STATEMENTS, ...statements }
  all.mintedStanding = all.minted ?? ''
  all.paidStanding = all.paid ?? ''
  if (keyed === true)
    return replaced(all, /charges\.session_id = \$2|c\.session_id = \$2|\bsession_id = \$2/g, 'charges.id = $2')
  if (ownTable !== true) return all
  const moved = Object.entries(all).map(([key, text]) => [
    key,
    OF_STANDING.includes(key) ? text : text.replaceAll(/\bcharges\b/g, 'purchases'),
  ])
  return Object.fromEntries(moved)
}

function replaced(all: Record<string, string>, what: RegExp, by: string): Record<string, string> {
  const texts = Object.entries(all).map(([key, text]) => [
    key,
    text.replaceAll(what, key === 'launched' ? 'c.id = $2' : by),
  ])
  return Object.fromEntries(texts)
}

export function schemaOf(name: VariantName, schema: string): string {
  const { ownTable, keyed, left }: Variant = VARIANTS[name]
  if (keyed === true) return schema.replace(/create unique index charges_session.+/, '')
  const split = ownTable === true ? withPurchases(schema) : schema
  return left === undefined ? split : withoutChecks(split, left)
}

const TABLE = /create table charges \([^;]+;/

function withPurchases(schema: string): string {
  const whole = TABLE.exec(schema)?.[0] ?? ''
  const purchases = whole
    .replace('table charges', 'table purchases')
    .replace('standing_mandate_id text, reference text, holds_reference boolean not null default false, ', '')
  const charges = whole
    .replace(/\n {2}launch_hash bytea.+\n.+nonce bytea,/, '')
    .replace('card_id text, proven_card_id text, proof text, proof_seal bytea, entry_id uuid', 'card_id text')
    .replace('session_id text, ', '')
    .replace(/\n {2}check \(\(session_id.+/, '')
  const ofPurchases = purchases.replace(/\n {2}check \(\(session_id.+/, '')
  const due = `create index purchases_due on purchases (work_due_at) where work_due_at is not null;
create index purchases_due_of_merchant on purchases (merchant_id, work_due_at) where work_due_at is not null;`
  return schema
    .replace(TABLE, `${charges}\n${ofPurchases}\n${due}`)
    .replace('charges_session on charges', 'purchases_session on purchases')
}

function withoutChecks(schema: string, left: RegExp): string {
  return schema
    .replaceAll(/,?\n {2}(check|foreign key) \(.+/g, (line) => (left.test(line) ? line.replace(/^,?\n/, ',\n') : ','))
    .replaceAll(/ check \(status = any \('\{[^}]+\}'\)\)/g, (check) => (left.test(check) ? check : ''))
    .replaceAll(/,+(?=\n\)| *,)/g, '')
}

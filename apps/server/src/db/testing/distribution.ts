import type { Statement } from '../statement.ts'
import { TABLES } from '../tables.ts'
import { type Block, nameOf, namesOf, readBlocks, readStatements, type Tree } from './sql.ts'

// The rules for a distributed database that can be read from SQL texts, by their numbers (`faults.md`, at its end).

export interface Finding {
  /** The name of the statement, or of the migration's table. */
  name: string
  what: string
}

/** What one block of a statement breaks, or undefined. */
export type Rule = (statement: Pick<Statement, 'name' | 'shape'>, block: Block) => string | undefined

export async function findInStatements(
  statements: Iterable<Pick<Statement, 'name' | 'text' | 'shape'>>,
  rule: Rule,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const statement of statements) {
    for (const block of await readBlocks(statement.text)) {
      const what = rule(statement, block)
      if (what !== undefined) found.push({ name: statement.name, what })
    }
  }
  return found
}

const placeOf = (table: string) => TABLES[table]?.place
const isTenant = ({ table }: { table: string }) => placeOf(table) === 'tenant'

/** Rule 1: every tenant table of a statement is narrowed to one merchant, also inside WITH and as a target. */
export const leavesMerchant: Rule = (_, { kind, relations, narrowed, ownsRow }) => {
  const tenants = relations.filter(isTenant)
  if (kind === 'insert') return tenants.length > 0 && !ownsRow ? `inserts into ${listed(tenants)}` : undefined
  const wide = tenants.filter(({ alias }) => !narrowed.has(alias))
  return wide.length > 0 ? `${kind}s ${listed(wide)}` : undefined
}

/** Rules 1 and 2: a statement over all merchants reads, and locks and writes nothing. */
export const actsOverMerchants: Rule = (statement, block) => {
  const what = leavesMerchant(statement, block)
  if (what === undefined) return undefined
  if (block.locks) return `${what} for update`
  return block.kind === 'select' ? undefined : what
}

/** Rule 4: an INSERT inside WITH. */
export const insertsInWith: Rule = (_, { kind, inWith, relations }) => {
  const shared = relations.filter(({ table }) => placeOf(table) !== 'local')
  return kind === 'insert' && inWith && shared.length > 0 ? `inserts into ${listed(shared)} inside WITH` : undefined
}

/** Rule 5: without a shape a statement returns the row count only. */
export const countsInsertedRows: Rule = ({ shape }, { kind, inWith, fromQuery, returns }) =>
  kind === 'insert' && fromQuery && !inWith && shape === null && !returns
    ? 'counts the rows of INSERT … SELECT'
    : undefined

/** Rule 7: clocks, random values and arithmetic on times in UPDATE and DELETE. */
export const computesTimes: Rule = (_, { kind, relations, unstable }) => {
  if (kind === 'select' || kind === 'insert' || unstable.length === 0) return undefined
  return relations.some(({ table }) => placeOf(table) !== 'local') ? `${kind}s with ${unstable.join(', ')}` : undefined
}

/** Rule 17: rows without columns. */
export const selectsNothing: Rule = (_, { isBare }) => (isBare ? 'selects rows without columns' : undefined)

/** Rule 18: recursion, and a lateral subquery that limits or aggregates beside a copied table or a function. */
export const foldsOverMerchants: Rule = (_, { recurs, foldsBeside }) => {
  if (recurs) return 'recurs'
  const beside = foldsBeside.filter((name) => name === 'a function' || placeOf(name) === 'reference')
  return beside.length > 0 ? `limits or aggregates in a lateral subquery beside ${beside.join(', ')}` : undefined
}

/** A key that is checked with each part of a statement: a row of `child` needs one of `parent`. */
export interface ForeignKey {
  child: string
  parent: string
}

/** Rule 19: a row before the one that it refers to. The parts of a WITH run one by one, in their order. */
export function insertsChildFirst(keys: readonly ForeignKey[], blocks: readonly Block[]): string[] {
  const inserted = blocks.filter(({ kind }) => kind === 'insert').map(({ relations }) => relations[0]?.table ?? '')
  // The outer block is read first, and runs last.
  const order = blocks[0]?.kind === 'insert' ? [...inserted.slice(1), ...inserted.slice(0, 1)] : inserted
  return keys
    .filter(({ child, parent }) => order.includes(child) && order.indexOf(child) < order.lastIndexOf(parent))
    .map(({ child, parent }) => `inserts into ${child} before ${parent}`)
}

/** Rule 11: a table that is not in the list. */
export const usesUnknownTable: Rule = (_, { relations }) => {
  const unknown = relations.filter(({ table }) => placeOf(table) === undefined)
  return unknown.length > 0 ? `uses ${listed(unknown)}` : undefined
}

function listed(relations: readonly { table: string }[]): string {
  return relations.map(({ table }) => table).join(', ')
}

/** The foreign keys that texts of migrations leave in place, but for those that wait for COMMIT. */
export async function immediateKeys(texts: readonly string[]): Promise<ForeignKey[]> {
  const keys = new Map<string, ForeignKey>()
  for (const statement of (await Promise.all(texts.map(readStatements))).flat()) {
    const alter = statement.AlterTableStmt as Tree | undefined
    for (const { AlterTableCmd: command } of (alter?.cmds ?? []) as Record<string, Tree>[]) {
      if (command?.subtype === 'AT_DropConstraint') keys.delete(String(command.name))
      const key = (command?.def as Record<string, Tree> | undefined)?.Constraint
      if (key?.contype !== 'CONSTR_FOREIGN' || key.initdeferred === true) continue
      keys.set(String(key.conname), { child: tableOf(alter?.relation), parent: tableOf(key.pktable) })
    }
  }
  return [...keys.values()]
}

/** The tables that texts of migrations leave in place. */
export async function tablesLeft(texts: readonly string[]): Promise<string[]> {
  const tables = new Set<string>()
  for (const { CreateStmt, DropStmt } of (await Promise.all(texts.map(readStatements))).flat()) {
    const [created, dropped] = [CreateStmt as Tree | undefined, DropStmt as Tree | undefined]
    // A partition is a part of its table.
    if (created !== undefined && created.partbound === undefined) tables.add(tableOf(created.relation))
    if (dropped?.removeType !== 'OBJECT_TABLE') continue
    for (const { List: name } of dropped.objects as Record<string, Tree>[]) tables.delete(nameOf(name?.items))
  }
  return [...tables]
}

/** Rules 1 and 10 for the schema: keys led by merchant_id; no foreign key in CREATE TABLE, SET NULL, trigger, sequence. */
export async function findInMigration(sql: string): Promise<Finding[]> {
  const found = (await readStatements(sql)).flatMap(findInDefinition)
  return found.filter(({ name }) => placeOf(name) !== 'local')
}

function findInDefinition(statement: Tree): Finding[] {
  const { CreateStmt: create, AlterTableStmt: alter, IndexStmt: index } = statement as Record<string, Tree | undefined>
  if (create !== undefined) return named(tableOf(create.relation), findInTable(create))
  if (alter !== undefined) return named(tableOf(alter.relation), findInAlter(alter))
  if (index !== undefined) return named(tableOf(index.relation), findInIndex(index))
  if (statement.CreateTrigStmt !== undefined) {
    return named(tableOf((statement.CreateTrigStmt as Tree).relation), ['has a trigger'])
  }
  return statement.CreateSeqStmt === undefined ? [] : [{ name: 'sequence', what: 'is created' }]
}

const named = (name: string, problems: string[]): Finding[] => problems.map((what) => ({ name, what }))

function findInTable({ relation, tableElts = [] }: Tree): string[] {
  const table = tableOf(relation)
  const elements = tableElts as { ColumnDef?: Tree; Constraint?: Tree }[]
  const problems = elements.flatMap(({ ColumnDef: column, Constraint: key }) => {
    if (key !== undefined) return findInKey(table, key)
    return column === undefined ? [] : [...findInColumn(table, column), ...findSerial(column)]
  })
  return problems.map((problem) => (problem === FOREIGN ? 'has a foreign key in CREATE TABLE' : problem))
}

function findInColumn(table: string, column: Tree): string[] {
  const { constraints = [] } = column as { constraints?: { Constraint: Tree }[] }
  return constraints.flatMap(({ Constraint: key }) => findInKey(table, key, column))
}

function findSerial({ colname, typeName }: Tree): string[] {
  return /serial/.test(nameOf((typeName as Tree).names)) ? [`counts ${colname} with a sequence`] : []
}

function findInAlter({ relation, cmds }: Tree): string[] {
  const table = tableOf(relation)
  return (cmds as Record<string, Tree>[])
    .flatMap(({ AlterTableCmd: command }) => {
      const { Constraint: key, ColumnDef: column } = (command?.def ?? {}) as Record<string, Tree | undefined>
      if (command?.subtype === 'AT_AddIdentity') return ['has an identity column']
      if (column !== undefined) return [...findInColumn(table, column), ...findSerial(column)]
      return key === undefined ? [] : findInKey(table, key)
    })
    .filter((problem) => problem !== FOREIGN)
}

function findInIndex({ relation, unique, indexParams, idxname }: Tree): string[] {
  const first = (indexParams as { IndexElem: { name?: string } }[])[0]?.IndexElem.name
  const led = first === 'merchant_id' || unique !== true || placeOf(tableOf(relation)) !== 'tenant'
  return led ? [] : [`has ${idxname}, not led by merchant_id`]
}

/** Marks a foreign key, which is a problem only where it stands in CREATE TABLE. */
const FOREIGN = 'foreign key'

function findInKey(table: string, key: Tree, column?: Tree): string[] {
  switch (key.contype) {
    case 'CONSTR_PRIMARY':
    case 'CONSTR_UNIQUE': {
      const first = column?.colname ?? namesOf(key.keys)[0]
      return placeOf(table) !== 'tenant' || first === 'merchant_id'
        ? []
        : [`has ${key.conname}, not led by merchant_id`]
    }
    case 'CONSTR_FOREIGN':
      return [FOREIGN, ...findInForeignKey(table, key, column)]
    case 'CONSTR_IDENTITY':
      return ['has an identity column']
    case 'CONSTR_DEFAULT':
      return JSON.stringify(key.raw_expr).includes('"nextval"') ? ['counts with a sequence'] : []
    default:
      return []
  }
}

function findInForeignKey(table: string, key: Tree, column: Tree | undefined): string[] {
  const problems = []
  // n: SET NULL, d: SET DEFAULT.
  if (/[nd]/.test(`${key.fk_del_action}${key.fk_upd_action}`)) problems.push(`has ${key.conname} with SET NULL`)
  const from = column === undefined ? namesOf(key.fk_attrs)[0] : String(column.colname)
  const [to] = namesOf(key.pk_attrs)
  const target = tableOf(key.pktable)
  const inside = target === 'merchants' ? to === 'id' : to === 'merchant_id' && placeOf(target) === 'tenant'
  // A copy of these is on every node: whichever merchant's row it is, the check goes nowhere else.
  const copied = target !== 'merchants' && placeOf(target) === 'reference' && to === 'id'
  if (placeOf(table) === 'tenant' && !(from === 'merchant_id' && inside) && !copied) {
    problems.push(`has ${key.conname}, which leaves the merchant`)
  }
  return problems
}

function tableOf(relation: unknown): string {
  const { schemaname, relname } = relation as { schemaname?: string; relname: string }
  return schemaname === undefined || schemaname === 'public' ? relname : `${schemaname}.${relname}`
}

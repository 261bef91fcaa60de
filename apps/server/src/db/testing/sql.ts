import { parse } from 'libpg-query'

// What the rules of a distributed database need to know of an SQL text, read from PostgreSQL's own syntax tree.

export type Tree = Record<string, unknown>

export interface Relation {
  /** `cards`, or `simnet.tokens` outside schema public. */
  table: string
  /** By what its columns are called here. */
  alias: string
}

/** One SELECT, INSERT, UPDATE or DELETE, without those inside it, which are blocks of their own. */
export interface Block {
  kind: 'select' | 'insert' | 'update' | 'delete'
  /** Real tables only; names of WITH are left out. */
  relations: Relation[]
  /** The relations narrowed by `merchant_id = $n`, by alias. */
  narrowed: Set<string>
  /** For an INSERT: its rows get `merchant_id` from a parameter. */
  ownsRow: boolean
  /** FOR UPDATE, FOR SHARE and their kin. */
  locks: boolean
  /** Inside a WITH of another block. */
  inWith: boolean
  /** For an INSERT: its rows come from a query. */
  fromQuery: boolean
  /** Has RETURNING. */
  returns: boolean
  /** Clocks, random values and arithmetic on times, as written. */
  unstable: string[]
  /** A SELECT of rows that have no columns. */
  isBare: boolean
  /** WITH RECURSIVE. */
  recurs: boolean
  /** A lateral subquery that limits or aggregates is joined to a function or to one of these tables. */
  foldsBeside: string[]
}

const KINDS = { SelectStmt: 'select', InsertStmt: 'insert', UpdateStmt: 'update', DeleteStmt: 'delete' } as const
type Node = keyof typeof KINDS

/** The blocks of a text, outer ones first. */
export async function readBlocks(text: string): Promise<Block[]> {
  const blocks: Block[] = []
  for (const statement of await readStatements(text)) {
    const node = nodeOf(statement)
    if (node !== undefined) addBlocks(node, statement[node] as Tree, { blocks, withNames: new Set(), inWith: false })
  }
  return blocks
}

/** How many parts the WITHs of a text have, those inside others included. */
export async function countParts(text: string): Promise<number> {
  let count = 0
  for (const statement of await readStatements(text)) {
    walk(statement, (key) => {
      if (key === 'CommonTableExpr') count += 1
    })
  }
  return count
}

/** The statements of a text as syntax trees: `{ CreateStmt: … }`. */
export async function readStatements(text: string): Promise<Tree[]> {
  const { stmts = [] } = await parse(text)
  return stmts.map(({ stmt }) => stmt as unknown as Tree)
}

interface Scope {
  blocks: Block[]
  withNames: ReadonlySet<string>
  inWith: boolean
}

function addBlocks(node: Node, tree: Tree, scope: Scope): void {
  const ctes = listOf(tree.withClause, 'ctes').map((cte) => cte.CommonTableExpr as Tree)
  const inner = { ...scope, withNames: new Set([...scope.withNames, ...ctes.map(({ ctename }) => String(ctename))]) }
  // A UNION has no tables of its own.
  if (tree.larg === undefined) scope.blocks.push(readBlock(node, tree, inner))
  for (const { ctequery } of ctes) addNested(ctequery, { ...inner, inWith: true })
  const { withClause: _, ...rest } = tree
  for (const part of [rest.larg, rest.rarg]) if (part) addBlocks('SelectStmt', part as Tree, inner)
  addNested({ ...rest, larg: undefined, rarg: undefined }, inner)
}

/** Finds the statements inside a tree and adds their blocks. */
function addNested(value: unknown, scope: Scope): void {
  if (typeof value !== 'object' || value === null) return
  const node = nodeOf(value as Tree)
  if (node !== undefined) addBlocks(node, (value as Tree)[node] as Tree, scope)
  else for (const child of Object.values(value)) addNested(child, scope)
}

function readBlock(node: Node, tree: Tree, { withNames, inWith }: Scope): Block {
  const relations: Relation[] = []
  const comparisons: Tree[] = [tree.whereClause as Tree]
  const { withClause: _, ...own } = tree
  walkOwn(own, (key, value) => {
    if (key === 'RangeVar' || key === 'relation') relations.push(...relationOf(value, withNames))
    if (key === 'JoinExpr') comparisons.push(value.quals as Tree)
  })
  return {
    kind: KINDS[node],
    relations,
    narrowed: new Set(comparisons.flatMap((tree) => narrowedBy(tree, relations))),
    ownsRow: node === 'InsertStmt' && ownsRow(tree),
    locks: tree.lockingClause !== undefined,
    inWith,
    fromQuery: node === 'InsertStmt' && selectOf(tree)?.valuesLists === undefined,
    returns: tree.returningList !== undefined || tree.returningClause !== undefined,
    unstable: unstableParts(tree),
    isBare: node === 'SelectStmt' && listOf(tree, 'targetList').length === 0 && tree.valuesLists === undefined,
    recurs: (tree.withClause as Tree | undefined)?.recursive === true,
    foldsBeside: foldedBeside(own, relations),
  }
}

/** What a lateral subquery with LIMIT or an aggregate is joined to: the tables of the block, and `a function`. */
function foldedBeside(own: Tree, relations: readonly Relation[]): string[] {
  let folds = false
  let callsFunction = false
  walkOwn(own, (key, value) => {
    if (key === 'RangeFunction') callsFunction = true
    if (key === 'RangeSubselect' && value.lateral === true)
      folds ||= foldsRows((value.subquery as Tree).SelectStmt as Tree)
  })
  if (!folds) return []
  return [...relations.map(({ table }) => table), ...(callsFunction ? ['a function'] : [])]
}

const AGGREGATES = /^(?:count|sum|min|max|avg|bool_and|bool_or|array_agg|string_agg|jsonb_agg|json_agg)$/

function foldsRows(select: Tree): boolean {
  let aggregates = false
  walkOwn(listOf(select, 'targetList'), (key, value) => {
    if (key === 'FuncCall' && AGGREGATES.test(nameOf(value.funcname))) aggregates = true
  })
  return aggregates || select.limitCount !== undefined
}

/** Walks a block without the statements inside it. */
function walkOwn(value: unknown, visit: (key: string, value: Tree) => void): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) {
    if (key in KINDS || key === 'lockingClause') continue
    if (typeof child === 'object' && child !== null) visit(key, child as Tree)
    walkOwn(child, visit)
  }
}

function relationOf({ schemaname, relname, alias }: Tree, withNames: ReadonlySet<string>): Relation[] {
  if (typeof relname !== 'string' || (schemaname === undefined && withNames.has(relname))) return []
  const table = schemaname === undefined || schemaname === 'public' ? relname : `${schemaname}.${relname}`
  return [{ table, alias: String((alias as Tree | undefined)?.aliasname ?? relname) }]
}

/** The relations that a condition narrows with `merchant_id = $n`. Under OR and NOT it narrows nothing. */
function narrowedBy(condition: Tree | undefined, relations: readonly Relation[]): string[] {
  if (condition === undefined) return []
  const { BoolExpr: bool, A_Expr: comparison } = condition as Record<string, Tree | undefined>
  if (bool?.boolop === 'AND_EXPR') return (bool.args as Tree[]).flatMap((part) => narrowedBy(part, relations))
  if (comparison === undefined || nameOf(comparison.name) !== '=') return []
  const sides = [comparison.lexpr, comparison.rexpr] as Tree[]
  const column = sides.map(columnOf).find((fields) => fields.at(-1) === 'merchant_id')
  if (column === undefined || !sides.some(isParameter)) return []
  if (column.length > 1) return [column.at(-2) ?? '']
  return relations.length === 1 ? relations.map(({ alias }) => alias) : []
}

function ownsRow(insert: Tree): boolean {
  const place = listOf(insert, 'cols').findIndex((column) => (column.ResTarget as Tree).name === 'merchant_id')
  const select = selectOf(insert)
  if (place < 0 || select === undefined) return false
  const lists = listOf(select, 'valuesLists').map((list) => ((list.List as Tree).items as Tree[])[place])
  const targets = listOf(select, 'targetList').map((target) => (target.ResTarget as Tree).val as Tree)
  const values = lists.length > 0 ? lists : [targets[place]]
  return values.every((value) => value !== undefined && isParameter(value))
}

const CLOCKS = /^(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)$/
const RANDOM = /^(?:random|gen_random_uuid|uuidv4|uuidv7|nextval)$/
const TIME_COLUMN = /_(?:at|until)$/

function unstableParts(tree: Tree): string[] {
  const parts: string[] = []
  walk(tree, (key, value) => {
    if (key === 'SQLValueFunction') parts.push(String(value.op))
    if (key === 'FuncCall') {
      const name = nameOf(value.funcname)
      if (CLOCKS.test(name) || RANDOM.test(name) || name === 'to_char') parts.push(`${name}()`)
    }
    if (key === 'A_Expr' && /^[+-]$/.test(nameOf(value.name)) && [value.lexpr, value.rexpr].some(isTime)) {
      parts.push('arithmetic on a time')
    }
  })
  return parts
}

function isTime(side: unknown): boolean {
  const tree = (side ?? {}) as Record<string, Tree | undefined>
  if (TIME_COLUMN.test(columnOf(tree as Tree).at(-1) ?? '')) return true
  if (nameOf(tree.FuncCall?.funcname) === 'make_interval') return true
  const type = tree.TypeCast?.typeName as Tree | undefined
  return /^(?:interval|timestamptz|timestamp|date)$/.test(nameOf(type?.names))
}

function walk(value: unknown, visit: (key: string, value: Tree) => void): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) {
    if (typeof child === 'object' && child !== null) visit(key, child as Tree)
    walk(child, visit)
  }
}

function nodeOf(tree: Tree): Node | undefined {
  return (Object.keys(KINDS) as Node[]).find((node) => tree[node] !== undefined)
}

function selectOf(insert: Tree): Tree | undefined {
  return (insert.selectStmt as Record<string, Tree> | undefined)?.SelectStmt
}

function listOf(tree: unknown, key: string): Tree[] {
  return ((tree as Tree | undefined)?.[key] ?? []) as Tree[]
}

/** The last part of a name, which may be qualified: `pg_catalog.interval`. */
export function nameOf(parts: unknown): string {
  return namesOf(parts).at(-1) ?? ''
}

export function namesOf(parts: unknown): string[] {
  return ((parts ?? []) as Record<string, Tree | undefined>[]).map(({ String: part }) => `${part?.sval ?? ''}`)
}

function columnOf(tree: Tree): string[] {
  return namesOf((tree?.ColumnRef as Tree | undefined)?.fields)
}

function isParameter(tree: Tree): boolean {
  const cast = tree?.TypeCast as Tree | undefined
  return tree?.ParamRef !== undefined || (cast !== undefined && isParameter(cast.arg as Tree))
}

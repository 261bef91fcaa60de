import type { PoolClient } from 'pg'

/** The part of an index that the check of plans needs. */
export interface IndexInfo {
  name: string
  tableName: string
  /** Its columns in order; null for an expression. */
  columns: (string | null)[]
  /** A partial index is the list of open work: reading all of it is its purpose. */
  partial: boolean
}

/** A node of `explain (format json)`. */
export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  /** As the planner expects. */
  'Plan Rows': number
  Plans?: PlanNode[]
}

/** How a statement is carried out, whatever its values: the one plan that the program uses. Needs PostgreSQL 16. */
export async function planOf(client: PoolClient, text: string): Promise<PlanNode[]> {
  const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
    `explain (generic_plan, format json) ${text}`,
  )
  return (rows[0]?.['QUERY PLAN'] ?? []).map(({ Plan }) => Plan)
}

/**
 * The places where a plan reads all of a table, or all rows of one merchant: a sequential scan, or an index that nothing
 * narrows but the merchant. In words, for the message of a failing test.
 */
export function findScans(node: PlanNode, tables: string[], indexes: ReadonlyMap<string, IndexInfo>): string[] {
  const below = (node.Plans ?? []).flatMap((child) => findScans(child, tables, indexes))
  const here = describeScan(node, tables, indexes)
  return here === undefined ? below : [here, ...below]
}

function describeScan(node: PlanNode, tables: string[], indexes: ReadonlyMap<string, IndexInfo>): string | undefined {
  const table = node['Relation Name']
  if (node['Node Type'] === 'Seq Scan') return table && tables.includes(table) ? `scans ${table}` : undefined
  const index = indexes.get(node['Index Name'] ?? '')
  if (!index || index.partial) return undefined
  const condition = node['Index Cond'] ?? ''
  const narrowed = (column: string | null) => column !== null && new RegExp(`\\b${column}\\b`).test(condition)
  const [leading = null, ...others] = index.columns
  if (!narrowed(leading)) return `reads all of ${index.name} on ${index.tableName}`
  // By the merchant alone: a plan that gets slower with everything the merchant ever did.
  const wide = leading === 'merchant_id' && others.length > 0 && !others.some(narrowed)
  return wide ? `reads all rows of a merchant in ${index.name} on ${index.tableName}` : undefined
}

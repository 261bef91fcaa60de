/** The part of an index that the check of plans needs. */
export interface IndexInfo {
  name: string
  tableName: string
  /** Its first column; null for an expression. */
  leading: string | null
  /** A partial index is the list of open work: reading all of it is its purpose. */
  partial: boolean
}

/** A node of `explain (format json)`. */
export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}

/**
 * The places where a plan reads all of a table: a sequential scan, or an index read from end to end because nothing
 * narrows its first column. In words, for the message of a failing test.
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
  const narrowed = index.leading !== null && new RegExp(`\\b${index.leading}\\b`).test(condition)
  return narrowed ? undefined : `reads all of ${index.name} on ${index.tableName}`
}

import type { Pool } from 'pg'
import { STATEMENTS } from '../src/db/statement.ts'

interface PlanNode {
  Plans?: PlanNode[]
  [name: string]: unknown
}
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** How a named statement reads a table, as `explain (analyze, format json)` tells it: the first node that does. */
export async function firstScan(
  pool: Pool,
  name: string,
  { table, given }: { table: string; given: Readonly<Record<string, unknown>> },
): Promise<PlanNode | undefined> {
  const statement = STATEMENTS.get(name)
  if (statement === undefined) throw new Error(`There is no statement ${name}.`)
  const values = statement.parameters.map((parameter) => given[parameter.name])
  const { rows } = await pool.query(`explain (analyze, format json) ${statement.text}`, values)
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan).find((node) => node['Relation Name'] === table)
}

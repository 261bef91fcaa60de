import { expect, test } from 'vitest'
import type { Route } from '../src/http/route.ts'
import { documentedCodes } from './openapi-check.ts'

interface Published {
  rows: readonly Route[]
  codes: Readonly<Record<string, { status: number }>>
  /** The code of every request that cannot be read, whatever its status. */
  badInput: string
}

const pathOf = ({ path }: Route) => path.replaceAll(/:(\w+)/g, '{$1}')

/** What a running host publishes, against its rows and the codes of the contract. */
export function testTruthOf(
  // biome-ignore lint/suspicious/noExplicitAny: tests read the document as a caller would, without types.
  read: () => Promise<any>,
  { rows, codes, badInput }: Published,
): void {
  test('names every error a row declares, under its status, and none the contract does not know', async () => {
    const documented = documentedCodes(await read())
    const known = Object.entries(codes).map(([code, { status }]) => `${status} ${code}`)
    // The parser's own refusals carry the one code of bad input under the status of the fault.
    const allowed = new Set([...known, ...[408, 413, 415, 417, 431].map((status) => `${status} ${badInput}`)])
    expect(documented.filter(({ status, code }) => !allowed.has(`${status} ${code}`))).toEqual([])
    for (const row of rows) {
      const at = `${row.method.toLowerCase()} ${pathOf(row)}`
      const ofRow = documented.filter((one) => one.at === at).map(({ code }) => code)
      for (const { code } of row.errors) expect(ofRow, at).toContain(code)
    }
  })

  test('describes the rows and nothing else', async () => {
    const { paths } = await read()
    const described = Object.entries(paths as Record<string, object>).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    )
    expect(described.sort()).toEqual(rows.map((row) => `${row.method.toLowerCase()} ${pathOf(row)}`).sort())
  })
}

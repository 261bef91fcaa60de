import type { Step } from '../../apps/server/src/network/stripe/testing/journeys.ts'

// What came of journeys at a provider, beside the stand-in that stands for it in tests.

export interface Row {
  step: string
  standIn: string
  provider: string
  /** Fields that the stand-in has and the provider has not, or has of another type. */
  fields: string[]
}

/** The provider may have more fields than the stand-in, and none less. A field that is null says no type. */
export function compare(expected: readonly Step[], found: readonly Step[]): Row[] {
  const names = [...new Set([...expected, ...found].map(({ name }) => name))]
  return names.map((name) => {
    const [one, other] = [expected, found].map((steps) => steps.find((step) => step.name === name))
    const theirs = other?.shape ?? {}
    const fields = Object.entries(one?.shape ?? {}).flatMap(([field, type]) => {
      const real = theirs[field]
      if (other === undefined || real === type || type === 'null' || real === 'null') return []
      return [`${field}: ${type}, not ${real ?? 'there'}`]
    })
    return { step: name, standIn: one?.outcome ?? '-', provider: other?.outcome ?? '-', fields }
  })
}

const isDifferent = ({ standIn, provider, fields }: Row) => standIn !== provider || fields.length > 0

export function hasDifference(rows: readonly Row[]): boolean {
  return rows.some(isDifferent)
}

export function tableOf(rows: readonly Row[]): string {
  const lines = [
    ['', 'step', 'stand-in', 'provider'],
    ...rows.map((row) => [isDifferent(row) ? 'x' : '', row.step, row.standIn, row.provider]),
  ]
  const widths = [0, 1, 2, 3].map((place) => Math.max(...lines.map((line) => line[place]?.length ?? 0)))
  const table = lines.map((line) =>
    line
      .map((cell, place) => cell.padEnd(widths[place] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const fields = rows.flatMap(({ step, fields: all }) => all.map((field) => `${step}: ${field}`))
  return [...table, ...fields].join('\n')
}

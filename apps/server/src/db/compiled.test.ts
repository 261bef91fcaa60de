// Guarantee: rows and values are taken by the names of the program's own statements, and nothing else becomes code.
import { describe, expect, it } from 'vitest'
import { rowFiller, valuePicker } from './compiled.ts'

describe('a compiled function', () => {
  it('fills a row in the order of its cells, and reads the value of those that have a reader', () => {
    const fill = rowFiller([
      { name: 'id', read: undefined },
      { name: 'amount', read: (given) => BigInt(given as string) },
    ])
    expect(fill(['one', '400'])).toEqual({ id: 'one', amount: 400n })
    expect(Object.keys(fill(['two', '1']) as object)).toEqual(['id', 'amount'])
  })

  it('takes values by their names, in order, each by its taker', () => {
    const pick = valuePicker(['month', 'id'], [(value) => `${Number(value) + 1}`, String])
    expect(pick({ id: 7, month: '11', other: 'not asked for' })).toEqual(['12', '7'])
  })

  it.each(['a b', 'a.b', '__proto__', 'x-y', '', '1st', 'a()', 'a}', 'é'])('refuses the name "%s"', (name) => {
    expect(() => rowFiller([{ name, read: undefined }])).toThrow('is no name of a column or a parameter')
    expect(() => valuePicker([name], [String])).toThrow('is no name of a column or a parameter')
  })
})

// Functions that the program writes for itself. An object that is filled name by name has no form that the engine
// knows: a row of forty columns costs ten times as much to fill, and each later look at it is a search. One that is
// written out has a form of its own. The names come from statements of this program; what is no plain name is refused.

interface Cell {
  name: string
  /** Makes the value of what came; undefined: it is the value. */
  read: ((given: unknown) => unknown) | undefined
}

/** A function that makes a row of its values, which come in the order of the cells. */
export function rowFiller<Row>(cells: readonly Cell[]): (values: readonly unknown[]) => Row {
  const fields = cells.map(({ name, read }, place) => {
    const value = `values[${place}]`
    return `${plain(name)}: ${read === undefined ? value : `reads[${place}](${value})`}`
  })
  return compile('reads', `(values) => ({ ${fields.join(', ')} })`)(cells.map(({ read }) => read))
}

/** A function that takes the values of these names out of an object, in this order, each by the taker of its place. */
export function valuePicker<Value>(
  names: readonly string[],
  takers: readonly ((value: unknown) => Value)[],
): (given: object) => Value[] {
  const values = names.map((name, place) => `takers[${place}](given.${plain(name)})`)
  return compile('takers', `(given) => [${values.join(', ')}]`)(takers)
}

function plain(name: string): string {
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(name)) throw new Error(`"${name}" is no name of a column or a parameter.`)
  return name
}

function compile(parameter: string, expression: string) {
  return new Function(parameter, `'use strict'; return ${expression}`)
}

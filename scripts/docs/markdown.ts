/** A generated page: its path from the root of the repository, and its whole text. */
export interface Page {
  path: string
  text: string
}

/** A Markdown table. Cells may hold Markdown; a bar inside one is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export function code(text: string | number): string {
  return `\`${text}\``
}

/** A page of parts with a blank line between them, and a first line that names its source. */
export function page(path: string, source: string, parts: readonly string[]): Page {
  const note = `<!-- Generated from ${source}. Change the source, then run: npm run docs -->`
  return { path, text: `${[note, ...parts].join('\n\n')}\n` }
}

export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no'
}

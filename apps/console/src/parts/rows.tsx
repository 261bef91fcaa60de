import type { ComponentChildren } from 'preact'

/** Lines of a list: columns where there is room, else cards. Takes the `columns` as the head over them. */
export function RowList({ label, columns, children }: RowListProps) {
  return (
    <div class="rows-panel panel">
      <div class={`row row-head row-of-${columns.length}`} aria-hidden="true">
        {columns.map((column) => (
          <span key={column}>{column}</span>
        ))}
      </div>
      <ul class="rows" aria-label={label}>
        {children}
      </ul>
    </div>
  )
}

interface RowListProps {
  label: string
  columns: readonly string[]
  children: ComponentChildren
}

/** One line. Its first cell has the link; all of the line may be pressed. */
export function Row({ cells }: { cells: readonly ComponentChildren[] }) {
  return (
    <li class={`row row-of-${cells.length}`}>
      {cells.map((cell, index) => (
        <div key={index} class="cell">
          {cell}
        </div>
      ))}
    </li>
  )
}

/** Labels and what they say, in a column beside the page. */
export function FactList({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

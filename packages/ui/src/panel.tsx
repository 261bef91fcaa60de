import type { ComponentChildren } from 'preact'

/**
 * One of several things on a page, with an edge. Takes its `title`, what stands beside that (`aside`), and the rest.
 */
export function Panel({ title, aside, children }: PanelProps) {
  return (
    <section class="panel">
      {title && (
        <header class="panel-head">
          <h2 class="panel-title">{title}</h2>
          {aside}
        </header>
      )}
      {children}
    </section>
  )
}

interface PanelProps {
  title?: ComponentChildren
  aside?: ComponentChildren
  children: ComponentChildren
}

import type { ComponentChildren } from 'preact'

/** Drawings of one kind. Takes the names of the parts in them. */
export function Specimen({ of, children }: { of: string; children: ComponentChildren }) {
  return (
    <section class="specimen">
      <h2 lang="en" dir="ltr">
        {of}
      </h2>
      {children}
    </section>
  )
}

/** Where parts stand on the ground of a sheet, and the edge of it does not matter. */
export function Ground({ children }: { children: ComponentChildren }) {
  return <div class="ground">{children}</div>
}

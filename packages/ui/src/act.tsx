import type { ComponentChildren } from 'preact'

/** What one does: it stays in sight while the rest is read. Takes the buttons, and how they work in a `note` below. */
export function ActionBar({ note, children }: { note?: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class="act">
      {children}
      {note && <p class="hint hint-center">{note}</p>}
    </div>
  )
}

import type { ComponentChildren } from 'preact'

/** Something to tick. Takes an `id`, the words beside it, why one would (`why`), and what to do when it changes. */
export function Tick({ id, name, words, why, isTicked, onChange }: TickProps) {
  return (
    <label class="tick">
      <input
        class="radio"
        type="checkbox"
        name={name}
        checked={isTicked}
        aria-labelledby={id}
        aria-describedby={why ? `${id}-why` : undefined}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span class="card-words">
        <span id={id} class="tick-name">
          {words}
        </span>
        {why && (
          <span id={`${id}-why`} class="hint">
            {why}
          </span>
        )}
      </span>
    </label>
  )
}

interface TickProps {
  id: string
  name: string
  words: ComponentChildren
  why?: ComponentChildren
  isTicked: boolean
  onChange: (isTicked: boolean) => void
}

import type { ComponentChildren } from 'preact'

/**
 * A few values to take one of, at a press. Takes what they are (`label`), the `chips`, and what to do with the key of
 * the one pressed.
 */
export function Chips({ label, chips, onPick }: ChipsProps) {
  return (
    <fieldset class="chips" aria-label={label}>
      {chips.map(({ key, words, isChosen }) => (
        <button
          key={key}
          type="button"
          class="button button-quiet chip"
          aria-pressed={isChosen}
          onClick={() => onPick(key)}
        >
          {words}
        </button>
      ))}
    </fieldset>
  )
}

interface ChipsProps {
  label: string
  chips: readonly { key: string; words: ComponentChildren; isChosen: boolean }[]
  onPick: (key: string) => void
}

import type { ComponentChildren } from 'preact'

/** Taken, promised but not taken yet, or what was asked for on top. Each is told from the others without its colour. */
type Share = 'used' | 'held' | 'asked'

/**
 * How much of a limit is taken. Takes its `label`, the `cap`, what is taken of it (`parts`, in the same unit), and the
 * words: `text` in place of the picture, `words` and `note` below it, and those of the cap itself where more than the
 * cap was asked for.
 */
export function Gauge({ label, cap, capWords, parts, text, words, note }: GaugeProps) {
  const taken = parts.filter(({ share }) => share !== 'asked').reduce((sum, { size }) => sum + size, 0)
  const all = parts.reduce((sum, { size }) => sum + size, 0)
  const scale = Math.max(cap, all, Number.MIN_VALUE)
  const inPercent = (size: number) => `${(100 * size) / scale}%`
  return (
    <div class="gauge">
      {all > cap && (
        <p class="gauge-cap" style={{ '--at': inPercent(cap) }}>
          <span>{capWords}</span>
        </p>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: an element <meter> shows one share, in each browser another way. */}
      <div
        class="gauge-bar"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={cap}
        aria-valuenow={taken}
        aria-valuetext={text}
      >
        {parts.map(({ share, size }) => (
          <span key={share} class={`gauge-part gauge-${share}`} style={{ '--part': inPercent(size) }} />
        ))}
        {all > cap && <span class="gauge-end" style={{ '--at': inPercent(cap) }} />}
      </div>
      {parts.some((part) => part.words) && <Legend parts={parts} />}
      {(words || note) && (
        <p class="gauge-words">
          <span>{words}</span>
          {note && <span class="gauge-note">{note}</span>}
        </p>
      )}
    </div>
  )
}

interface GaugePart {
  share: Share
  size: number
  words?: ComponentChildren
}

interface GaugeProps {
  label: string
  cap: number
  capWords?: ComponentChildren
  parts: readonly GaugePart[]
  text: string
  words?: ComponentChildren
  note?: ComponentChildren
}

function Legend({ parts }: { parts: readonly GaugePart[] }) {
  return (
    <ul class="gauge-legend">
      {parts.map(({ share, words }) => (
        <li key={share}>
          <span class={`gauge-sample gauge-${share}`} aria-hidden="true" />
          {words}
        </li>
      ))}
    </ul>
  )
}

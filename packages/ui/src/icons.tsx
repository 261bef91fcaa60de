/** Lines of one weight on a square of 24. */
const PATHS = {
  check: ['M5 12.5l4.5 4.5L19 7.5'],
  cross: ['M7 7l10 10', 'M17 7L7 17'],
  clock: ['M12 7v5l3 2', 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18'],
  key: [
    'M9 10.4a3.4 3.4 0 1 0 0-6.8a3.4 3.4 0 0 0 0 6.8z',
    'M3 20c0-4 2.6-6.6 6-6.6 1.2 0 2.2.3 3.1.8',
    'M17.5 15.1a2.6 2.6 0 1 0 0-5.2a2.6 2.6 0 0 0 0 5.2z',
    'M17.5 15.1V21M17.5 18.6h2.2',
  ],
  cloud: ['M4 4l16 16', 'M8 7.6A6 6 0 0 1 17.5 11a4 4 0 0 1 2.2 6.6', 'M6 10.5A4 4 0 0 0 7 18.5h9.5'],
  notice: ['M12 8v5', 'M12 16.5v.01', 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18'],
  window: ['M4 5h16v14H4z', 'M4 9h16'],
}
export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
      {PATHS[name].map((d) => (
        <path key={d} d={d} />
      ))}
    </svg>
  )
}

export type Tone = 'good' | 'bad' | 'calm'

/** How something ended, before its words are read. */
export function Medal({ icon, tone }: { icon: IconName; tone: Tone }) {
  return (
    <div class={`medal medal-${tone}`}>
      <Icon name={icon} />
    </div>
  )
}

/** Work is under way. It is as large as the medal that takes its place. */
export function Spinner() {
  return <div class="spinner" aria-hidden="true" />
}

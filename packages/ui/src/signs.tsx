/** Lines as those of `icons.tsx`: the cardholder's page carries all of those, and has no use for these. */
const PATHS = {
  arrow: ['M5 12h14', 'M13 6l6 6-6 6'],
  pause: ['M9 6v12', 'M15 6v12'],
  shield: ['M12 3L5 6v5c0 5 3 8 7 10 4-2 7-5 7-10V6z'],
  document: ['M7 3h7l4 4v14H7z', 'M14 3v4h4', 'M10 12h5', 'M10 16h5'],
  out: ['M14 5h5v5', 'M19 5l-8 8', 'M10 6H6a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1v-4'],
  copy: ['M9 9h11v11H9z', 'M5 15V5a1 1 0 0 1 1-1h9'],
}

/** A small picture beside words. Takes its `name`. */
export function Sign({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
      {PATHS[name].map((d) => (
        <path key={d} d={d} />
      ))}
    </svg>
  )
}

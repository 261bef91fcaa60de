import { Specimen } from '../specimen.tsx'

const COLOURS =
  'ink muted line edge bg card raise accent accent-strong on-accent soft chosen amber amber-soft red red-soft blue blue-soft'

/** Colours by role: each is another one in the other scheme. */
export function Tokens() {
  return (
    <Specimen of="Tokens">
      <ul class="swatches" lang="en" dir="ltr">
        {COLOURS.split(' ').map((name) => (
          <li class="swatch" key={name}>
            <i style={{ '--colour': `var(--${name})` }} />
            {name}
          </li>
        ))}
      </ul>
    </Specimen>
  )
}

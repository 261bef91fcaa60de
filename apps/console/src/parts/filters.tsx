import { address, withFilters } from '../router.ts'

/** One of several views of a list, each with an address of its own. */
export function Filters({ label, name, chosen, all, values }: FiltersProps) {
  return (
    <nav class="filters" aria-label={label}>
      {[['', all] as const, ...values].map(([value, shown]) => (
        <a
          key={value}
          class="filter"
          href={withFilters(address.value, { [name]: value })}
          aria-current={value === chosen ? 'true' : undefined}
        >
          {shown}
        </a>
      ))}
    </nav>
  )
}

interface FiltersProps {
  label: string
  /** The parameter of the address. */
  name: string
  chosen: string
  all: string
  values: readonly (readonly [string, string])[]
}

/** One of a closed set, as the address has it; what is not of the set is none. */
export function chosenOf<Value extends string>(name: string, values: readonly Value[]): Value | '' {
  const asked = address.value.searchParams.get(name)
  return values.find((value) => value === asked) ?? ''
}

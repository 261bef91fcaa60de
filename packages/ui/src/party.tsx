import type { ComponentChildren } from 'preact'

/**
 * The first letter or figure of a name, as a picture would be, until the logo is there. The name itself stands beside
 * it.
 */
export function Mark({ name, logo }: { name: string; logo?: string | undefined }) {
  return (
    <span class="mark" aria-hidden="true">
      {name.match(/[\p{L}\p{N}]/u)?.[0].toUpperCase() ?? '·'}
      {logo && (
        <img key={logo} src={logo} alt="" onLoad={({ currentTarget }) => currentTarget.classList.add('is-here')} />
      )}
    </span>
  )
}

/** The party that asks: what it is called, and where it is. */
export function Party({ name, logo, title, host, badge }: PartyProps) {
  return (
    <div class="party">
      <Mark name={name} logo={logo} />
      <div class="party-words">
        <p class="merchant-name">{title}</p>
        {(host || badge) && (
          <p class="merchant-under">
            {host && <span class="merchant-host">{host}</span>}
            {badge && <span class="badge">{badge}</span>}
          </p>
        )}
      </div>
    </div>
  )
}

interface PartyProps {
  name: string
  logo?: string | undefined
  /** The name as it is drawn. */
  title: ComponentChildren
  host?: ComponentChildren
  /** That nothing here is real, where it is not. */
  badge?: ComponentChildren
}

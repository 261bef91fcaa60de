import type { ComponentChildren } from 'preact'

/** A state in a word or two. Takes the words, an `icon`, and how it is meant (`tone`). */
export function Badge({ tone = 'calm', icon, children }: BadgeProps) {
  return (
    <span class={`badge state state-${tone}`}>
      {icon}
      {children}
    </span>
  )
}

interface BadgeProps {
  tone?: 'good' | 'bad' | 'warn' | 'info' | 'calm'
  icon?: ComponentChildren
  children: ComponentChildren
}

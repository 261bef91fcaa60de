import { Icon } from '@mintmark/ui/icons.tsx'
import { Sign } from '@mintmark/ui/signs.tsx'
import type { ComponentChildren } from 'preact'

type StoryTone = 'good' | 'bad' | 'warn' | 'info'

const PICTURES: Record<StoryTone, ComponentChildren> = {
  good: <Icon name="check" />,
  bad: <Icon name="cross" />,
  warn: <Icon name="notice" />,
  info: <Sign name="arrow" />,
}

/** The first thing on a page of one thing: what happened, and what to do. */
export function StoryPanel({ tone, title, children }: StoryPanelProps) {
  return (
    <section class={`story story-${tone}`}>
      <span class="story-picture">{PICTURES[tone]}</span>
      <div class="story-words">
        <p class="story-title">{title}</p>
        {children}
      </div>
    </section>
  )
}

interface StoryPanelProps {
  tone: StoryTone
  title: ComponentChildren
  children?: ComponentChildren
}

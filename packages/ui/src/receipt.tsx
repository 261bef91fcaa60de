import type { ComponentChildren } from 'preact'
import { type IconName, Medal, type Tone } from './icons.tsx'
import { type Row, Rows } from './lines.tsx'

/**
 * How it ended. Takes the picture, what happened (`title`, `text`), what is kept of it (`rows`, `sentence`), and the
 * ways on.
 */
export function Receipt({ icon, tone, title, text, rows = [], sentence, children }: ReceiptProps) {
  return (
    <div class="centered">
      <Medal icon={icon} tone={tone} />
      <h1 class="heading" tabIndex={-1}>
        {title}
      </h1>
      <p class="lead">{text}</p>
      {rows.length > 0 && <Rows rows={rows} />}
      {sentence}
      {children}
    </div>
  )
}

export interface ReceiptProps {
  icon: IconName
  tone: Tone
  title: ComponentChildren
  text: ComponentChildren
  rows?: readonly Row[]
  /** What was signed, word for word. */
  sentence?: ComponentChildren
  children?: ComponentChildren
}

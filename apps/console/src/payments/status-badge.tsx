import type { ConsolePayment } from '@mintmark/contract/wire/console'
import { Badge } from '@mintmark/ui/badge.tsx'
import { words } from '../text/payments/words.ts'
import { toneOf } from './story.ts'

/** How a payment stands, in a word. */
export function StatusBadge({ payment }: { payment: ConsolePayment }) {
  return <Badge tone={toneOf(payment)}>{words.statuses[payment.status]}</Badge>
}

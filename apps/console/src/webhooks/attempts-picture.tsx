import type { WebhookDelivery } from '@mintmark/contract/wire/deliveries'
import { Panel } from '@mintmark/ui/panel.tsx'
import { locale } from '../parts/time.tsx'
import { words } from '../text/webhooks/words.ts'
import { duration } from '../times.ts'
import { middleAnswer } from './incident-rules.ts'

/** So many bars have room on a phone. */
const MAX_BARS = 50
/** A bar of one attempt is seen as one, also where all have one. */
const MIN_SCALE = 3

/** A bar a delivery, as high as it took attempts; the oldest first. */
export function AttemptsPicture({ deliveries }: { deliveries: readonly WebhookDelivery[] }) {
  const shown = deliveries.slice(0, MAX_BARS).toReversed()
  const count = (state: WebhookDelivery['state']) => shown.filter((delivery) => delivery.state === state).length
  const middle = middleAnswer(shown)
  const scale = Math.max(MIN_SCALE, ...shown.map(({ attempt_count }) => attempt_count))
  const [arrived, waiting, failed] = [count('delivered'), count('queued'), count('failed')]
  const figures: [string, string | number, string][] = [
    ['delivered', arrived, words.figures.delivered],
    ['queued', waiting, words.figures.queued],
    ['failed', failed, words.figures.failed],
    ['answer', middle === undefined ? words.noFigure : duration(middle, locale), words.figures.answer],
  ]
  return (
    <div class="stat">
      <Panel title={words.attempts} aside={<span class="hint">{words.attemptsOf(shown.length)}</span>}>
        <div class="attempts" role="img" aria-label={words.attemptsText(arrived, waiting, failed)}>
          {shown.map(({ id, state, attempt_count }) => (
            <span
              key={id}
              class={`attempt-bar attempt-${state}`}
              style={{ '--part': `${Math.max(4, (100 * attempt_count) / scale)}%` }}
            />
          ))}
        </div>
        <p class="attempts-foot hint" aria-hidden="true">
          <span>{words.oldest}</span>
          <span>{words.newest}</span>
        </p>
      </Panel>
      <dl class="figures panel">
        {figures.map(([key, value, label]) => (
          <div key={key} class={`figure figure-${key}`}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

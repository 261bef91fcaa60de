import type { WebhookAttempt, WebhookDelivery, WebhookDeliveryDetail } from '@mintmark/contract/wire/deliveries'
import { post } from '@mintmark/ui/backend.ts'
import { Badge } from '@mintmark/ui/badge.tsx'
import { Button } from '@mintmark/ui/button.tsx'
import { Icon } from '@mintmark/ui/icons.tsx'
import { Alert } from '@mintmark/ui/notice.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import { type Moment, Timeline } from '@mintmark/ui/timeline.tsx'
import { useRef, useState } from 'preact/hooks'
import { LINES } from '../curl.ts'
import { pageOf } from '../ids.ts'
import { CopyButton, Id } from '../parts/copy.tsx'
import { Json } from '../parts/json.tsx'
import { Bones, LostPage, Page, said, Tidings } from '../parts/page.tsx'
import { FactList } from '../parts/rows.tsx'
import { StoryPanel } from '../parts/story-panel.tsx'
import { exactText, locale, timeText } from '../parts/time.tsx'
import { useReading } from '../reading.ts'
import { go } from '../router.ts'
import { who, wordsFor } from '../session.ts'
import { words as common } from '../text/shell/words.ts'
import { words } from '../text/webhooks/words.ts'
import { duration } from '../times.ts'
import { deliveryStory } from './story.ts'
import { DELIVERY_TONES } from './tones.ts'

/** Just sent again: what comes of it is shown as it comes, until it has come to its end. */
const isUnderWay = ({ state, attempts }: WebhookDeliveryDetail) => state === 'queued' && attempts.length === 0

/** One delivery: whether it arrived and why not, its attempts, what is sent, and how to send it again. */
export function DeliveryPage({ id }: { id: string }) {
  const path = `deliveries/${encodeURIComponent(id)}`
  const { view, lost, isNewer, isStale, again, show } = useReading<WebhookDeliveryDetail>(path, {
    asItComes: isUnderWay,
  })
  if (lost !== undefined) return <LostPage lost={lost} again={again} />
  if (view === undefined) return <Bones title={words.title} />
  const { event_type, event_id, endpoint_id, state, test, replay_of } = view
  return (
    <Page
      title={<span class="mono">{event_type}</span>}
      name={event_type}
      crumb={
        <>
          <a href="/webhooks">{words.back}</a> <span aria-hidden="true">/</span>{' '}
          <a href={pageOf('endpoint', endpoint_id)}>{words.ids.endpoint}</a> <span aria-hidden="true">/</span>{' '}
          <Id id={view.id} of={words.ids.delivery} />
        </>
      }
      under={
        <>
          <Badge tone={DELIVERY_TONES[state]}>{words.deliveryStates[state]}</Badge>
          <span class="hint">{words.attemptOf(view.attempt_count)}</span>
          {test && <span class="hint">{words.test}</span>}
          {replay_of !== null && <span class="hint">{words.replay}</span>}
        </>
      }
    >
      <Tidings news={isNewer ? common.changed : ''} isStale={isStale} show={show} />
      <Story view={view} />
      <div class="columns">
        <Panel title={words.body}>
          <div class="panel-body">
            {view.event === null ? <p class="hint">{words.bodyGone}</p> : <Json value={view.event} />}
          </div>
        </Panel>
        <div class="beside">
          <Attempts attempts={view.attempts} />
          <Panel title={words.idsTitle}>
            <FactList
              facts={[
                [words.ids.delivery, <Id key="delivery" id={view.id} of={words.ids.delivery} />],
                [
                  words.ids.event,
                  <Id
                    key="event"
                    id={event_id}
                    href={test ? undefined : pageOf('event', event_id)}
                    of={words.ids.event}
                  />,
                ],
                [
                  words.ids.endpoint,
                  <Id key="endpoint" id={endpoint_id} href={pageOf('endpoint', endpoint_id)} of={words.ids.endpoint} />,
                ],
                ...(replay_of === null
                  ? []
                  : [
                      [
                        words.ids.replayOf,
                        <Id key="of" id={replay_of} href={pageOf('delivery', replay_of)} of={words.ids.replayOf} />,
                      ] as const,
                    ]),
              ]}
            />
          </Panel>
        </div>
      </div>
    </Page>
  )
}

function Story({ view }: { view: WebhookDeliveryDetail }) {
  const { what, why, next, tone } = deliveryStory(words.story, view)
  const { state, next_attempt_at, expires_at } = view
  return (
    <StoryPanel tone={tone} title={what}>
      <p>
        {why} {next}
      </p>
      {state === 'queued' && (
        <p class="hint">
          {next_attempt_at !== null && `${words.next(timeText(next_attempt_at))} `}
          {words.until(timeText(expires_at))}
        </p>
      )}
      <SendAgain view={view} />
    </StoryPanel>
  )
}

/**
 * One press sends it once more. Its key stays until there is an answer, so that a second press after a lost one sends
 * nothing twice.
 */
function SendAgain({ view: { id } }: { view: WebhookDeliveryDetail }) {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const key = useRef<string>(undefined)
  async function press(): Promise<void> {
    key.current ??= crypto.randomUUID()
    setBusy(true)
    setFailure(null)
    try {
      const made = await post<WebhookDelivery>(`deliveries/${encodeURIComponent(id)}/resend`, { key: key.current })
      key.current = undefined
      said.value = words.sentAgain
      go(pageOf('delivery', made.id))
    } catch (error) {
      setFailure(wordsFor(error, words.resendRefusals))
      setBusy(false)
    }
  }
  return (
    <>
      <Alert words={failure} />
      <div class="story-acts">
        <Button busy={isBusy} onPress={() => void press()}>
          {words.sendAgain}
        </Button>
        <CopyButton text={LINES.replay(who.value?.api_url, id, `again-${id}`)} label={common.copyCurl} />
      </div>
    </>
  )
}

function Attempts({ attempts }: Pick<WebhookDeliveryDetail, 'attempts'>) {
  return (
    <Panel title={words.attemptsTitle}>
      {attempts.length === 0 ? (
        <p class="none">{words.attemptsNone}</p>
      ) : (
        <Timeline label={words.attemptsTitle} moments={attempts.toReversed().map(momentOf)} />
      )}
    </Panel>
  )
}

function momentOf({ number, started_at, finished_at, http_status, category }: WebhookAttempt): Moment {
  const took = finished_at === null ? undefined : duration(Date.parse(finished_at) - Date.parse(started_at), locale)
  const isGood = category === null && finished_at !== null
  const answer = http_status === null ? words.noAnswer : words.answered(http_status)
  return {
    key: String(number),
    at: started_at,
    time: <span title={exactText(started_at)}>{timeText(started_at)}</span>,
    turn: isGood ? 'good' : finished_at === null ? 'calm' : 'bad',
    picture: isGood ? <Icon name="check" /> : finished_at === null ? null : <Icon name="cross" />,
    what: finished_at === null ? words.inFlight : took === undefined ? answer : `${answer} ${words.took(took)}`,
    who:
      category === null
        ? words.attempt(number)
        : `${words.attempt(number)} · ${words.story.failures[category](http_status).why}`,
    ...(category !== null && { reference: category }),
  }
}

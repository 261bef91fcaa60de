import { Icon } from '@mintmark/ui/icons.tsx'
import { useEffect, useState } from 'preact/hooks'
import { exactText } from '../parts/time.tsx'
import { usePolling } from '../reading.ts'
import { who } from '../session.ts'
import { words } from '../text/sandbox/words.ts'
import { readClock, sandboxNow } from './clock.ts'
import { MoveButton, mayMove, moveFailure } from './move.tsx'

const QUARTER_SECONDS = 15 * 60
const DAY_SECONDS = 24 * 60 * 60

/** On every page of a sandbox; production has none of it. */
export function SandboxBar() {
  if (who.value?.account.environment !== 'sandbox') return null
  return <Bar />
}

function Bar() {
  const read = () => readClock().catch(() => undefined)
  useEffect(() => void read(), [])
  usePolling(read, 'sandbox')
  return (
    <div class="sandbox">
      <p class="sandbox-words">
        <Icon name="clock" />
        <span>
          <b>{words.sandbox}</b> {words.words} <Ticking />
        </span>
      </p>
      {mayMove() && (
        <div class="sandbox-acts">
          <MoveButton seconds={() => QUARTER_SECONDS}>
            {words.quarter} <span class="visually-hidden">{words.onTheClock}</span>
          </MoveButton>
          <MoveButton seconds={() => DAY_SECONDS}>
            {words.day} <span class="visually-hidden">{words.onTheClock}</span>
          </MoveButton>
        </div>
      )}
      {moveFailure.value !== '' && (
        <p class="sandbox-failure" role="alert">
          {moveFailure.value}
        </p>
      )}
    </div>
  )
}

const SECOND_MILLIS = 1_000

/** The time of the sandbox, as it goes on. It is not announced: a screen reader would say nothing else. */
function Ticking() {
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), SECOND_MILLIS)
    return () => clearInterval(timer)
  }, [])
  const now = sandboxNow()
  if (now === undefined) return null
  const iso = new Date(now).toISOString()
  return (
    <>
      {words.itIs}{' '}
      <time class="sandbox-time" dateTime={iso}>
        {exactText(iso)}
      </time>
    </>
  )
}

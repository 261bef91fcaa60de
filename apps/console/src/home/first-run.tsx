import type { FirstStep } from '@mintmark/contract/console'
import type { ConsoleHome } from '@mintmark/contract/wire/console'
import { Icon } from '@mintmark/ui/icons.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import { LINES } from '../curl.ts'
import { CodeLine } from '../parts/copy.tsx'
import { Time } from '../parts/time.tsx'
import { who } from '../session.ts'
import { words } from '../text/home/words.ts'
import { stepsOf } from './steps.ts'

/** What is typed for each of them. */
const lineOf = (step: FirstStep, api: string | undefined): string =>
  ({
    key_used: `${LINES.key()}\ncurl ${api ?? '$API'}/v1/events -H "Authorization: Bearer $KEY"`,
    session_made: LINES.session(api),
    approved: LINES.approve(api),
    event_received: LINES.receive(),
  })[step]

/** Four steps that tick themselves. The next one stands open, with its line. */
export function FirstRun({ steps }: Pick<ConsoleHome, 'steps'>) {
  return (
    <Panel title={words.firstTitle}>
      <p class="panel-lead">{words.firstWords}</p>
      <ol class="steps" aria-live="polite">
        {stepsOf(steps).map(({ step, at, state }, index) => (
          <li key={step} class={`step step-${state}`}>
            <span class="step-mark" aria-hidden="true">
              {state === 'done' ? <Icon name="check" /> : index + 1}
            </span>
            <div class="step-words">
              <p class="step-title">
                {words.steps[step].title}
                <span class="step-state">
                  {words.stepStates[state]}
                  {at !== null && (
                    <>
                      {' · '}
                      <Time at={at} />
                    </>
                  )}
                </span>
              </p>
              {state === 'next' && (
                <>
                  <p class="hint">{words.steps[step].words}</p>
                  <CodeLine line={lineOf(step, who.value?.api_url)} label={words.stepLine(words.steps[step].title)} />
                </>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

import { changedBy, widenedBy } from '@mintmark/contract/limits'
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import type { HomeView, LimitsApproval } from '@mintmark/contract/wire/owner'
import { post } from '@mintmark/ui/backend.ts'
import { usePasskey } from '@mintmark/ui/passkey.ts'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Draft, draftOf, limitsOf, narrow, type Problems } from './limits.ts'
import { LimitsForm } from './limits-form.tsx'
import { frozenWords, NewPasskey } from './recovery/notice.tsx'
import { sentenceText } from './sentence.ts'
import { wordsFor } from './session.tsx'
import { locale } from './text/language.ts'
import { text } from './text/words.ts'
import { Alert, Button, KeyIcon, said } from './ui.tsx'

type Agent = HomeView['agents'][number]

/** The agent whose limits are open, the version of them that the form began with, and what stands in it. */
const open = signal<{ id: string; version: number } | undefined>(undefined)
const draft = signal<Draft>(narrow())
const problems = signal<Problems>({})
const failure = signal('')
const busy = signal(false)

interface LimitsProps {
  agent: Agent
  read: () => Promise<void>
}

export const isChanging = (agent: Agent) => open.value?.id === agent.agent_id

export function openLimits({ agent_id: id, version, terms }: Agent): void {
  open.value = { id, version }
  draft.value = draftOf(terms)
  problems.value = {}
  failure.value = ''
}

/** They were changed elsewhere: what holds by now is in the form, and is said to be. */
function startAnew(agent: Agent): void {
  if (busy.value || open.value?.version === agent.version) return
  openLimits(agent)
  failure.value = text.changedElsewhere
}

/** Other limits: more by the passkey, less by a press. */
export function LimitsSection({ agent, read }: LimitsProps) {
  const { agent_id: id, name, terms } = agent
  useEffect(() => startAnew(agent), [agent.version])
  const found = limitsOf(draft.value)
  const limits = 'limits' in found ? found.limits : undefined
  const isWider = limits !== undefined && widenedBy(terms, limits).length > 0
  const frozen = isWider ? frozenWords() : undefined
  return (
    <form
      class="confirm"
      noValidate
      aria-label={text.limitsOf(name)}
      onSubmit={(event) => {
        event.preventDefault()
        void change(agent, read)
      }}
    >
      <LimitsForm draft={draft} problems={problems} fixed={terms.currency} />
      <p class="say" id={`sentence-${id}`} aria-live="polite">
        {limits === undefined ? text.sentenceWaits : changeText(agent, limits)}
      </p>
      {isWider && <NewPasskey />}
      {frozen !== undefined && <p class="warning">{frozen}</p>}
      <Alert words={failure.value} />
      <div class="actions">
        {frozen === undefined && (
          <Button submit busy={busy.value} describedBy={`sentence-${id}`}>
            {isWider && <KeyIcon />} {isWider ? text.changeByPasskey : text.changeLimits}
          </Button>
        )}
        <Button kind="secondary" onPress={() => close()}>
          {text.keepLimits}
        </Button>
      </div>
    </form>
  )
}

/** As the server makes it where it is signed, of the same words. */
function changeText({ name, terms }: Agent, limits: AgentLimits): string {
  if (changedBy(terms, limits).length === 0) return text.nothingChanged
  return sentenceText({ type: 'limits', agent: name, was: terms, limits })
}

function close(): void {
  open.value = undefined
  failure.value = ''
}

async function change(agent: Agent, read: () => Promise<void>): Promise<void> {
  const found = limitsOf(draft.value)
  if ('problems' in found) {
    problems.value = found.problems
    document.getElementById(Object.keys(found.problems)[0] ?? '')?.focus()
    return
  }
  if (changedBy(agent.terms, found.limits).length === 0) return close()
  if (busy.value) return
  busy.value = true
  failure.value = ''
  try {
    if (await make(agent, found.limits)) {
      // Before the form closes: one that is opened again at once begins with what holds now.
      await read()
      close()
      said.value = text.hasChangedLimits(agent.name)
    }
  } catch (error) {
    failure.value = wordsFor(error, text.limitsRefusals)
  } finally {
    busy.value = false
    if (open.value !== undefined) await read()
  }
}

/** False: the statement reads otherwise than the page thought, and nothing was signed. */
async function make(agent: Agent, limits: AgentLimits): Promise<boolean> {
  const { terms: was, version } = agent
  const path = `agents/${encodeURIComponent(agent.agent_id)}/limits`
  if (widenedBy(was, limits).length === 0) {
    await post(path, { version, limits })
    return true
  }
  const { terms, options } = await post<LimitsApproval>(`${path}/approval-options`, { version, limits, locale })
  if (terms.sentence.text !== changeText(agent, limits)) {
    failure.value = text.changed
    return false
  }
  await post(`${path}/approve`, { change_id: terms.change_id, response: await usePasskey(options) })
  return true
}

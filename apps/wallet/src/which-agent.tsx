import type { LinkView } from '@mintmark/contract/wire/owner'
import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { day } from './money.ts'
import { text } from './text/en.ts'

type MayBe = LinkView['may_be'][number]

/** A new agent, with limits of its own. */
export const NEW = 'new'

interface WhichProps {
  mayBe: readonly MayBe[]
  /** The id of one of them, or `NEW`. */
  which: Signal<string>
}

/** Which of the owner's agents it is that asks. One that they have keeps its limits. */
export function WhichAgent({ mayBe, which }: WhichProps) {
  if (mayBe.length === 0) return null
  return (
    <fieldset class="limits" id="which">
      <legend>{text.whichAgent}</legend>
      <p class="note">{text.whichAgentHint}</p>
      {mayBe.map((agent) => (
        <Choice key={agent.agent_id} value={agent.agent_id} which={which}>
          <span class="head-words">
            <bdi class="strong">{agent.name}</bdi>
            <small>{detailsOf(agent)}</small>
          </span>
        </Choice>
      ))}
      <Choice value={NEW} which={which}>
        {text.newAgent}
      </Choice>
    </fieldset>
  )
}

/** What tells two of one name apart. */
function detailsOf({ platform, has_key, created_at }: MayBe): string {
  const since = text.linkedOn(day(created_at))
  const parts = [
    ...(platform === null ? [] : [text.anAgentOn(platform)]),
    has_key ? text.withKey : text.withoutKey,
    since,
  ]
  return parts.join(', ')
}

function Choice({
  value,
  which,
  children,
}: Pick<WhichProps, 'which'> & { value: string; children: ComponentChildren }) {
  return (
    <label class="tick">
      <input
        type="radio"
        name="which"
        value={value}
        checked={which.value === value}
        onChange={() => {
          which.value = value
        }}
      />
      {children}
    </label>
  )
}

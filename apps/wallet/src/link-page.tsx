import type { AgentClient, AgentLimits } from '@mintmark/contract/wire/agents'
import type { Decided, LinkApproval, LinkView, WhichAgentBody } from '@mintmark/contract/wire/owner'
import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { get, post, Refusal, Unreachable } from './backend.ts'
import { limitsOf, narrow, type Problems } from './limits.ts'
import { LimitsForm } from './limits-form.tsx'
import { moment, short, time } from './money.ts'
import { usePasskey } from './passkey.ts'
import { sentenceText } from './sentence.ts'
import { wordsFor } from './session.tsx'
import { text } from './text/en.ts'
import { Alert, Button, KeyIcon, Loading, Mark, Notice, Sheet, Unreached } from './ui.tsx'
import { NEW, WhichAgent } from './which-agent.tsx'

const view = signal<LinkView | undefined>(undefined)
const lost = signal<'unknown' | 'unreachable' | undefined>(undefined)
const draft = signal(narrow())
const problems = signal<Problems>({})
const failure = signal('')
const doing = signal<'approve' | 'deny' | undefined>(undefined)
/** The statement as the server made it, where it reads otherwise than the page thought. */
const surprise = signal<string | undefined>(undefined)

/** The agent that it is to be: one of the owner's, by its id, or a new one. */
const which = signal(NEW)
const chosen = computed(() => view.value?.may_be.find(({ agent_id }) => agent_id === which.value))

/** What would be signed, as far as the form is right. */
const sentence = computed(() => {
  const name = view.value?.agent?.name ?? ''
  if (chosen.value !== undefined) return joinSentence(name, chosen.value)
  const found = limitsOf(draft.value)
  return 'limits' in found ? sentenceText({ type: 'link', agent: name, ...found.limits }) : text.sentenceWaits
})

const joinSentence = (asks: string, { name, limits }: { name: string; limits: AgentLimits }) =>
  sentenceText({ type: 'join', asks, agent: name, ...limits })

// What reads otherwise is said of one choice.
which.subscribe(() => {
  surprise.value = undefined
})

async function look(id: string): Promise<void> {
  lost.value = undefined
  try {
    const before = view.value
    view.value = await get<LinkView>(`links/${encodeURIComponent(id)}`)
    // An owner who has let this client in before is proposed the same agent; one who has chosen is left alone.
    if (before?.link_id !== view.value.link_id) which.value = view.value.last ?? NEW
    if (chosen.value === undefined) which.value = NEW
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) lost.value = 'unknown'
    else if (error instanceof Unreachable || !(error instanceof Refusal)) lost.value = 'unreachable'
    else if (wordsFor(error) !== '') lost.value = 'unreachable'
  }
}

export function LinkPage({ id }: { id: string }) {
  useEffect(() => void look(id), [id])
  useEffect(() => lookAgainAtTheEnd(id), [id, view.value?.expires_at])
  if (lost.value === 'unknown') return <Notice title={text.linkUnknownTitle} words={text.linkUnknown} tone="warn" />
  if (lost.value === 'unreachable') return <Unreached again={() => void look(id)} />
  if (view.value === undefined) return <Loading />
  return view.value.status === 'pending' ? <Asking view={view.value} /> : <Ended view={view.value} />
}

function lookAgainAtTheEnd(id: string): (() => void) | undefined {
  const seen = view.value
  if (seen?.status !== 'pending') return undefined
  const left = Date.parse(seen.expires_at) - Date.parse(seen.now)
  const timer = setTimeout(() => void look(id), Math.max(0, left) + 500)
  return () => clearTimeout(timer)
}

function Ended({ view: { status, agent, limits, joined, ended_at } }: { view: LinkView }) {
  const name = agent?.name ?? ''
  const { title, words } =
    ended_at === null ? text.linkEnds[status === 'pending' ? 'expired' : status] : text.linkEnded(moment(ended_at))
  const isGood = status === 'approved' && ended_at === null
  return (
    <Notice title={title(name)} words={words(name)} tone={isGood ? 'good' : 'calm'}>
      {limits !== null && (
        <p class="say">
          {joined === null
            ? sentenceText({ type: 'link', agent: name, ...limits })
            : joinSentence(name, { name: joined, limits })}
        </p>
      )}
      <div class="actions">
        <a class="button button-secondary" href="/">
          {text.toHome}
        </a>
      </div>
    </Notice>
  )
}

function Asking({ view: { link_id: id, agent, may_be, expires_at } }: { view: LinkView }) {
  if (agent === null) return null
  return (
    <Sheet
      wide
      title={text.linkTitle(agent.name)}
      head={
        <div class="head">
          <Mark name={agent.name} />
          <p class="head-words">
            <bdi class="strong">{agent.name}</bdi>
            <small>{agent.platform === null ? text.agentAsks : text.agentOn(agent.platform)}</small>
          </p>
          <span class="chip">{text.until(time(expires_at))}</span>
        </div>
      }
    >
      {agent.description !== null && (
        <blockquote>
          <p>
            <bdi>{agent.description}</bdi>
          </p>
        </blockquote>
      )}
      <p class="note">{text.ownWord}</p>
      {agent.client === null ? <Key thumbprint={agent.key_thumbprint ?? ''} /> : <Client client={agent.client} />}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void approve(id)
        }}
      >
        <WhichAgent mayBe={may_be} which={which} />
        {chosen.value === undefined && <LimitsForm draft={draft} problems={problems} />}
        <p class="say" id="sentence" aria-live="polite">
          {surprise.value ?? sentence.value}
        </p>
        <Alert words={failure.value} />
        <div class="actions">
          <Button submit busy={doing.value === 'approve'} describedBy="sentence">
            <KeyIcon /> {doing.value === 'approve' ? text.approving : text.approve}
          </Button>
          <Button kind="secondary" busy={doing.value === 'deny'} onPress={() => void deny(id)}>
            {text.deny}
          </Button>
        </div>
      </form>
      <p class="foot">{text.confirms}</p>
    </Sheet>
  )
}

function Key({ thumbprint }: { thumbprint: string }) {
  return (
    <details class="key">
      <summary>
        {text.key} <code>{short(thumbprint)}</code>
      </summary>
      <code>{thumbprint}</code>
    </details>
  )
}

/** A client: where it comes from and where the answer goes is all that an owner can go by. */
function Client({ client: { host, redirect_host, scopes } }: { client: AgentClient }) {
  return (
    <div class="note" id="client">
      <p>
        {host === null ? text.clientOfNobody : text.clientFrom} <bdi class="strong">{host}</bdi>
      </p>
      <p>
        {text.clientTo} <bdi class="strong">{redirect_host}</bdi>
      </p>
      <ul class="asks">
        {scopes.map((scope) => (
          <li key={scope}>{text.scopes[scope]}</li>
        ))}
      </ul>
    </div>
  )
}

/** What the owner says that it is; undefined: the form is not right. */
function whichAgent(): WhichAgentBody | undefined {
  if (chosen.value !== undefined) return { agent_id: chosen.value.agent_id }
  const found = limitsOf(draft.value)
  if ('limits' in found) return { limits: found.limits }
  problems.value = found.problems
  document.getElementById(Object.keys(found.problems)[0] ?? '')?.focus()
  return undefined
}

async function approve(id: string): Promise<void> {
  const body = whichAgent()
  if (body === undefined) return
  await decide(
    'approve',
    async () => {
      const { terms, options } = await post<LinkApproval>(`links/${id}/approval-options`, body)
      // The agent may have changed meanwhile: what is signed was read first.
      if (terms.sentence.text !== (surprise.value ?? sentence.value)) {
        surprise.value = terms.sentence.text
        failure.value = text.changed
        return undefined
      }
      return post<Decided>(`links/${id}/approve`, { response: await usePasskey(options) })
    },
    id,
  )
}

const deny = (id: string) => decide('deny', () => post<Decided>(`links/${id}/deny`), id)

async function decide(what: 'approve' | 'deny', work: () => Promise<Decided | undefined>, id: string): Promise<void> {
  if (doing.value !== undefined) return
  doing.value = what
  failure.value = ''
  try {
    const decided = await work()
    if (decided?.continue_url) return location.replace(decided.continue_url)
    if (decided !== undefined) await look(id)
  } catch (error) {
    failure.value = wordsFor(error)
    // It was decided elsewhere, or its time is over: the page says how it stands.
    if (error instanceof Refusal && error.code === 'INVALID_STATE') await look(id)
  } finally {
    doing.value = undefined
  }
}

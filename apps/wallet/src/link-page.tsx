import type { AgentClient } from '@mintmark/contract/wire/agents'
import type { Decided, LinkApproval, LinkView } from '@mintmark/contract/wire/owner'
import { get, post, Refusal, Unreachable } from '@mintmark/ui/backend.ts'
import { usePasskey } from '@mintmark/ui/passkey.ts'
import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { limitsOf, narrow, type Problems } from './limits.ts'
import { LimitsForm } from './limits-form.tsx'
import { short, time } from './money.ts'
import { frozenWords, NewPasskey } from './recovery/notice.tsx'
import { sentenceText } from './sentence.ts'
import { wordsFor } from './session.tsx'
import { locale } from './text/language.ts'
import { text } from './text/words.ts'
import { Alert, Button, KeyIcon, Loading, Mark, Notice, Sheet, Unreached } from './ui.tsx'

const view = signal<LinkView | undefined>(undefined)
const lost = signal<'unknown' | 'unreachable' | undefined>(undefined)
const draft = signal(narrow())
const problems = signal<Problems>({})
const failure = signal('')
const doing = signal<'approve' | 'deny' | undefined>(undefined)
/** The statement as the server made it, where it reads otherwise than the page thought. */
const surprise = signal<string | undefined>(undefined)

/** What would be signed, as far as the form is right. */
const sentence = computed(() => {
  const found = limitsOf(draft.value)
  const name = view.value?.agent?.name ?? ''
  return 'limits' in found ? sentenceText({ type: 'link', agent: name, ...found.limits }) : text.sentenceWaits
})

async function read(id: string): Promise<void> {
  lost.value = undefined
  try {
    view.value = await get<LinkView>(`links/${encodeURIComponent(id)}`)
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) lost.value = 'unknown'
    else if (error instanceof Unreachable || !(error instanceof Refusal)) lost.value = 'unreachable'
    else if (wordsFor(error) !== '') lost.value = 'unreachable'
  }
}

export function LinkPage({ id }: { id: string }) {
  useEffect(() => void read(id), [id])
  useEffect(() => readAgainAtTheEnd(id), [id, view.value?.expires_at])
  if (lost.value === 'unknown') return <Notice title={text.linkUnknownTitle} words={text.linkUnknown} tone="warn" />
  if (lost.value === 'unreachable') return <Unreached again={() => void read(id)} />
  if (view.value === undefined) return <Loading />
  return view.value.status === 'pending' ? <Asking view={view.value} /> : <Ended view={view.value} />
}

function readAgainAtTheEnd(id: string): (() => void) | undefined {
  const seen = view.value
  if (seen?.status !== 'pending') return undefined
  const left = Date.parse(seen.expires_at) - Date.parse(seen.now)
  const timer = setTimeout(() => void read(id), Math.max(0, left) + 500)
  return () => clearTimeout(timer)
}

function Ended({ view: { status, agent, limits } }: { view: LinkView }) {
  const name = agent?.name ?? ''
  const { title, words } = text.linkEnds[status === 'pending' ? 'expired' : status]
  return (
    <Notice title={title(name)} words={words(name)} tone={status === 'approved' ? 'good' : 'calm'}>
      {limits !== null && <p class="say">{sentenceText({ type: 'link', agent: name, ...limits })}</p>}
      <div class="actions">
        <a class="button button-secondary" href="/">
          {text.toHome}
        </a>
      </div>
    </Notice>
  )
}

function Asking({ view: { link_id: id, agent, expires_at } }: { view: LinkView }) {
  if (agent === null) return null
  const frozen = frozenWords()
  return (
    <Sheet
      wide
      title={text.linkTitle(agent.name)}
      head={
        <div class="head">
          <Mark name={agent.name} />
          <p class="head-words">
            <bdi class="strong">{agent.name}</bdi>
            <small>
              {agent.platform === null ? text.agentAsks : text.agentOn(agent.platform)}{' '}
              <time datetime={agent.asked_at}>{text.since(time(agent.asked_at))}</time>
            </small>
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
        <LimitsForm draft={draft} problems={problems} />
        <p class="say" id="sentence">
          {surprise.value ?? sentence.value}
        </p>
        <NewPasskey />
        {frozen !== undefined && <p class="warning">{frozen}</p>}
        <Alert words={failure.value} />
        <div class="actions">
          {frozen === undefined && (
            <Button submit busy={doing.value === 'approve'} describedBy="sentence">
              <KeyIcon /> {doing.value === 'approve' ? text.approving : text.approve}
            </Button>
          )}
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

/** Software without a key: where it comes from and where the answer goes is all that an owner can go by. */
function Client({ client: { host, redirect_host, scopes } }: { client: AgentClient }) {
  return (
    <div class="note" id="client">
      <p>
        {host === null ? text.clientOfNobody : text.clientFrom} <bdi class="strong">{host}</bdi>
      </p>
      <p>
        {text.clientTo} <bdi class="strong">{redirect_host}</bdi>
      </p>
      <ul>
        {scopes.map((scope) => (
          <li key={scope}>{text.scopes[scope]}</li>
        ))}
      </ul>
    </div>
  )
}

async function approve(id: string): Promise<void> {
  const found = limitsOf(draft.value)
  if ('problems' in found) {
    problems.value = found.problems
    document.getElementById(Object.keys(found.problems)[0] ?? '')?.focus()
    return
  }
  await decide(
    'approve',
    async () => {
      const { limits } = found
      const { terms, options } = await post<LinkApproval>(`links/${id}/approval-options`, { limits, locale })
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
    if (decided !== undefined) await read(id)
  } catch (error) {
    failure.value = wordsFor(error)
    // It was decided elsewhere, or its time is over: the page says how it stands.
    if (error instanceof Refusal && error.code === 'INVALID_STATE') await read(id)
  } finally {
    doing.value = undefined
  }
}

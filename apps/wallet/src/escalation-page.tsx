import type { AgentLimits } from '@mintmark/contract/wire/agents'
import type { EscalationApproval, EscalationView, LimitsApproval, OpenedMandate } from '@mintmark/contract/wire/owner'
import { get, post, Refusal } from '@mintmark/ui/backend.ts'
import { usePasskey } from '@mintmark/ui/passkey.ts'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { LimitBars } from './limit-bars.tsx'
import { money, time } from './money.ts'
import { frozenWords, NewPasskey } from './recovery/notice.tsx'
import { raisedFor, raisedTo } from './seen/raise.ts'
import { sentenceText } from './sentence.ts'
import { wordsFor } from './session.tsx'
import { locale } from './text/language.ts'
import { words } from './text/seen/words.ts'
import { text } from './text/words.ts'
import { Alert, Button, KeyIcon, Loading, Mark, Notice, Sheet, Unreached } from './ui.tsx'

const view = signal<EscalationView | undefined>(undefined)
const lost = signal<'unknown' | 'unreachable' | undefined>(undefined)
const failure = signal('')
type Doing = 'allow' | 'raise' | 'deny'
const doing = signal<Doing | undefined>(undefined)

async function read(id: string): Promise<void> {
  lost.value = undefined
  try {
    view.value = await get<EscalationView>(`escalations/${encodeURIComponent(id)}`)
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) lost.value = 'unknown'
    else if (wordsFor(error) !== '') lost.value = 'unreachable'
  }
}

const POLL_MILLIS = 3_000

/** In the background: what cannot be read now is read at the next turn. A page that is not seen asks for nothing. */
async function readAgain(id: string): Promise<void> {
  if (document.visibilityState !== 'visible') return
  const found = await get<EscalationView>(`escalations/${encodeURIComponent(id)}`).catch(() => undefined)
  if (found !== undefined && view.value?.escalation_id === found.escalation_id) view.value = found
}

export function EscalationPage({ id }: { id: string }) {
  useEffect(() => void read(id), [id])
  useEffect(() => {
    const seen = view.value
    if (seen?.status !== 'pending') return undefined
    const left = Date.parse(seen.expires_at) - Date.parse(seen.now)
    const timer = setTimeout(() => void read(id), Math.max(0, left) + 500)
    return () => clearTimeout(timer)
  }, [id, view.value?.expires_at])
  const isAwaited = view.value?.status === 'allowed' && view.value.charged === null
  useEffect(() => {
    if (!isAwaited) return undefined
    const timer = setInterval(() => void readAgain(id), POLL_MILLIS)
    return () => clearInterval(timer)
  }, [id, isAwaited])
  if (lost.value === 'unknown')
    return <Notice title={text.linkUnknownTitle} words={text.escalationUnknown} tone="warn" />
  if (lost.value === 'unreachable') return <Unreached again={() => void read(id)} />
  if (view.value === undefined) return <Loading />
  return view.value.status === 'pending' && view.value.agent.status === 'active' ? (
    <Asking view={view.value} />
  ) : (
    <Ended view={view.value} />
  )
}

/** What the agent made of it, as soon as it has come back. */
function NextTry({ charged, agent }: { charged: EscalationView['charged']; agent: string }) {
  return (
    <div class="next-try" role="status">
      {charged === null && <p class="note">{text.notBack(agent)}</p>}
      {charged !== null && (
        <p>
          {charged.status === 'failed'
            ? text.triedAt(time(charged.created_at))
            : text.chargedAt(time(charged.created_at))}{' '}
          <a href={`/activity/${encodeURIComponent(charged.transaction_id)}`}>{text.seeCharge}</a>
        </p>
      )}
    </div>
  )
}

function Ended({ view: { status, agent, amount, currency, payee, charged } }: { view: EscalationView }) {
  const { title, words } = text.escalationEnds[agent.status === 'revoked' && status !== 'allowed' ? 'revoked' : status]
  const price = money(amount, currency)
  return (
    <Notice title={title(price)} words={words(agent.name, payee.name)} tone={status === 'allowed' ? 'good' : 'calm'}>
      {/* Another device was faster. */}
      {failure.value !== '' && <p class="warning">{failure.value}</p>}
      {status === 'allowed' && <NextTry charged={charged} agent={agent.name} />}
      <div class="actions">
        <a class="button button-secondary" href="/">
          {text.toHome}
        </a>
      </div>
    </Notice>
  )
}

function Asking({ view: asked }: { view: EscalationView }) {
  const { escalation_id: id, agent, amount, currency, payee, expires_at, beyond } = asked
  const price = money(amount, currency)
  const frozen = isWithin(asked) ? undefined : frozenWords()
  return (
    <Sheet
      wide
      title={text.escalationTitle(price)}
      head={
        <div class="head">
          <Mark name={agent.name} />
          <p class="head-words">
            <bdi class="strong">{text.asks(agent.name)}</bdi>
            <small>{agent.platform === null ? text.anAgent : text.anAgentOn(agent.platform)}</small>
          </p>
          <span class="chip">{text.until(time(expires_at))}</span>
        </div>
      }
    >
      <p class="where">
        {text.at} <bdi class="strong">{payee.name}</bdi> · <bdi>{new URL(payee.url).hostname}</bdi>
      </p>
      <Lines asked={asked} />
      <p class="warning">{text.why(asked, (value) => money(value, currency))}</p>
      {asked.possible_duplicate && <p class="warning">{text.mayRepeat(agent.name)}</p>}
      <Before asked={asked} />
      {!beyond && <LimitBars limits={asked.limits} currency={currency} />}
      <p class="say" id="sentence">
        {beyond ? text.beyond(agent.name) : asks(asked)}
      </p>
      <NewPasskey />
      {frozen !== undefined && <p class="warning">{frozen}</p>}
      <Alert words={failure.value} />
      <div class="actions">
        {frozen === undefined && (
          <Button
            busy={doing.value === 'allow'}
            describedBy="sentence"
            onPress={() => void (beyond ? openMandate(id) : allow(id))}
          >
            <KeyIcon /> {beyond ? text.goOn(price) : text.allowOnce(price)}
          </Button>
        )}
        <Button kind="secondary" busy={doing.value === 'deny'} onPress={() => void deny(id)}>
          {text.leaveRefused}
        </Button>
      </div>
      {!beyond && frozenWords() === undefined && <Raise asked={asked} />}
      <p class="foot">{beyond ? text.beyondFoot : text.confirms}</p>
    </Sheet>
  )
}

/** It asks, and is beyond no limit: the server allows it also in the week after a recovery. */
const isWithin = ({ limit }: EscalationView) => limit === 'ask_above' || limit === 'ask_repeats'

/** What lets the next one like it pass as well: a sentence of its own, which is signed first. */
function Raise({ asked }: { asked: EscalationView }) {
  const limits = raisedFor(asked)
  if (limits === null) return null
  const { escalation_id: id, agent } = asked
  return (
    <details class="key">
      <summary>{raiseWords(asked, limits)}</summary>
      <div class="stack">
        <p class="say" id="raised">
          {raisedText(agent, limits)}
        </p>
        <Button
          kind="secondary"
          busy={doing.value === 'raise'}
          describedBy="raised"
          onPress={() => void allowAndRaise(id, agent, limits)}
        >
          <KeyIcon /> {words.allowAndRaise}
        </Button>
        <p class="note">{words.raiseFoot}</p>
      </div>
    </details>
  )
}

function raiseWords(asked: EscalationView, limits: AgentLimits): string {
  const { limit } = asked
  const to = raisedTo(asked, limits)
  if (limit === 'merchants') return words.raise.merchants(to)
  const isAmount = limit === 'charge' || limit === 'day' || limit === 'month' || limit === 'ask_above'
  return isAmount ? words.raise[limit](money(to, asked.currency)) : words.allowAndRaise
}

const raisedText = ({ name, terms }: EscalationView['agent'], limits: AgentLimits) =>
  sentenceText({ type: 'limits', agent: name, was: terms, limits })

/** As the server makes it, of the same words. */
const asks = ({ agent, payee, amount, currency }: EscalationView) =>
  sentenceText({ type: 'charge', agent: agent.name, payee: payee.name, amount, currency })

/** What it is for, in the agent's words; with prices where they make the amount. */
function Lines({ asked: { products, currency, amount } }: { asked: EscalationView }) {
  if (products.length === 0) return null
  const sum = products.reduce((total, { unit_price, quantity }) => total + Number(unit_price) * quantity, 0)
  const isPriced = sum.toFixed(2) === Number(amount).toFixed(2)
  return (
    <ul class="lines">
      {products.map(({ name, quantity, unit_price }) => (
        <li key={name}>
          <bdi>{quantity === 1 ? name : text.times(name, quantity)}</bdi>
          {isPriced && <span>{money(String(Number(unit_price) * quantity), currency)}</span>}
        </li>
      ))}
    </ul>
  )
}

function Before({ asked: { before } }: { asked: EscalationView }) {
  if (before.length === 0) return <p class="note">{text.nothingBefore}</p>
  return (
    <section>
      <h2>{text.beforeTitle}</h2>
      <ul class="lines">
        {before.map(({ amount, currency, status, created_at, repeated, possible_duplicate }) => (
          <li key={created_at}>
            <span>
              {text.chargeStatus[status] ?? status}, {time(created_at)}
              {repeated && ' '}
              {repeated && <span class="chip chip-inline">{text.theSame}</span>}
              {possible_duplicate && ' '}
              {possible_duplicate && <span class="chip chip-inline">{text.duplicate}</span>}
            </span>
            <span>{money(amount, currency)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const allow = (id: string) => decide('allow', id, () => sign(id))

async function sign(id: string): Promise<void> {
  const { terms, options } = await post<EscalationApproval>(`escalations/${id}/approval-options`, { locale })
  const seen = view.value
  if (seen !== undefined && terms.sentence.text !== asks(seen)) {
    failure.value = text.changed
    return
  }
  await post(`escalations/${id}/allow`, { response: await usePasskey(options) })
}

/** The limits first: where only they are signed, the charge waits as before. */
function allowAndRaise(id: string, agent: EscalationView['agent'], limits: AgentLimits): Promise<void> {
  return decide('raise', id, async () => {
    const path = `agents/${encodeURIComponent(agent.agent_id)}/limits`
    const { version } = agent
    const { terms, options } = await post<LimitsApproval>(`${path}/approval-options`, { version, limits, locale })
    if (terms.sentence.text !== raisedText(agent, limits)) {
      failure.value = text.changed
      return
    }
    await post(`${path}/approve`, { change_id: terms.change_id, response: await usePasskey(options) })
    await sign(id)
  })
}

const deny = (id: string) => decide('deny', id, () => post(`escalations/${id}/deny`))

function openMandate(id: string): Promise<void> {
  return decide('allow', id, async () => {
    const { url } = await post<OpenedMandate>(`escalations/${id}/mandate`)
    location.assign(url)
  })
}

async function decide(what: Doing, id: string, work: () => Promise<unknown>): Promise<void> {
  if (doing.value !== undefined) return
  doing.value = what
  failure.value = ''
  try {
    await work()
    await read(id)
  } catch (error) {
    failure.value = wordsFor(error)
    if (error instanceof Refusal && error.code === 'INVALID_STATE') await read(id)
  } finally {
    doing.value = undefined
  }
}

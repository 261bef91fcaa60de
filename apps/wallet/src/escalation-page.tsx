import { amountOf, minorOf } from '@mintmark/contract/amounts'
import type { EscalationApproval, EscalationView, OpenedMandate } from '@mintmark/contract/wire/owner'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { get, post, Refusal } from './backend.ts'
import { LimitBars } from './limit-bars.tsx'
import { money, time, when } from './money.ts'
import { usePasskey } from './passkey.ts'
import { sentenceText } from './sentence.ts'
import { wordsFor } from './session.tsx'
import { text } from './text/en.ts'
import { Alert, Button, KeyIcon, LinkedAs, Loading, Mark, Notice, Sheet, Unreached } from './ui.tsx'

const view = signal<EscalationView | undefined>(undefined)
const lost = signal<'unknown' | 'unreachable' | undefined>(undefined)
const failure = signal('')
const doing = signal<'allow' | 'deny' | undefined>(undefined)

async function look(id: string): Promise<void> {
  lost.value = undefined
  try {
    view.value = await get<EscalationView>(`escalations/${encodeURIComponent(id)}`)
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) lost.value = 'unknown'
    else if (wordsFor(error) !== '') lost.value = 'unreachable'
  }
}

export function EscalationPage({ id }: { id: string }) {
  useEffect(() => void look(id), [id])
  useEffect(() => {
    const seen = view.value
    if (seen?.status !== 'pending') return undefined
    const left = Date.parse(seen.expires_at) - Date.parse(seen.now)
    const timer = setTimeout(() => void look(id), Math.max(0, left) + 500)
    return () => clearTimeout(timer)
  }, [id, view.value?.expires_at])
  if (lost.value === 'unknown')
    return <Notice title={text.linkUnknownTitle} words={text.escalationUnknown} tone="warn" />
  if (lost.value === 'unreachable') return <Unreached again={() => void look(id)} />
  if (view.value === undefined) return <Loading />
  return view.value.status === 'pending' && view.value.agent.status === 'active' ? (
    <Asking view={view.value} />
  ) : (
    <Ended view={view.value} />
  )
}

/** What came of it. */
function endOf({ status, agent, charged, good_until, now }: EscalationView): keyof typeof text.escalationEnds {
  if (charged !== null) {
    if (charged.status === 'completed') return 'paid'
    return charged.status === 'failed' ? 'failed' : 'charged'
  }
  if (agent.status === 'revoked') return 'revoked'
  return status === 'allowed' && good_until !== null && good_until <= now ? 'unused' : status
}

function Ended({ view }: { view: EscalationView }) {
  const { agent, amount, currency, payee, charged, good_until } = view
  const end = endOf(view)
  const { title, words } = text.escalationEnds[end]
  const at = charged?.created_at ?? good_until
  const isGood = end === 'allowed' || end === 'charged' || end === 'paid'
  return (
    <Notice
      title={title(money(amount, currency))}
      words={words(agent.name, payee.name, at === null ? undefined : when(at))}
      tone={isGood ? 'good' : 'calm'}
    >
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
            <LinkedAs name={agent.linked_as} />
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
      <Alert words={failure.value} />
      <div class="actions">
        <Button
          busy={doing.value === 'allow'}
          describedBy="sentence"
          onPress={() => void (beyond ? openMandate(id) : allow(id))}
        >
          <KeyIcon /> {beyond ? text.goOn(price) : text.allowOnce(price)}
        </Button>
        <Button kind="secondary" busy={doing.value === 'deny'} onPress={() => void deny(id)}>
          {text.leaveRefused}
        </Button>
      </div>
      <p class="foot">{beyond ? text.beyondFoot : text.confirms}</p>
    </Sheet>
  )
}

/** As the server makes it, of the same words. */
const asks = ({ agent, payee, amount, currency }: EscalationView) =>
  sentenceText({ type: 'charge', agent: agent.name, payee: payee.name, payeeUrl: payee.url, amount, currency })

/** What it is for, in the agent's words; with prices where they make the amount. */
function Lines({ asked: { products, currency, amount } }: { asked: EscalationView }) {
  if (products.length === 0) return null
  const priced = products.map((product) => ({
    ...product,
    minor: minorOf(product.unit_price) * BigInt(product.quantity),
  }))
  const isPriced = priced.reduce((total, { minor }) => total + minor, 0n) === minorOf(amount)
  return (
    <ul class="lines">
      {priced.map(({ name, quantity, minor }) => (
        <li key={name}>
          <bdi>{quantity === 1 ? name : text.times(name, quantity)}</bdi>
          {isPriced && <span>{money(amountOf(minor), currency)}</span>}
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

function allow(id: string): Promise<void> {
  return decide('allow', id, async () => {
    const { terms, options } = await post<EscalationApproval>(`escalations/${id}/approval-options`)
    const seen = view.value
    if (seen !== undefined && terms.sentence.text !== asks(seen)) {
      failure.value = text.changed
      return
    }
    await post(`escalations/${id}/allow`, { response: await usePasskey(options) })
  })
}

const deny = (id: string) => decide('deny', id, () => post(`escalations/${id}/deny`))

function openMandate(id: string): Promise<void> {
  return decide('allow', id, async () => {
    const { url } = await post<OpenedMandate>(`escalations/${id}/mandate`)
    location.assign(url)
  })
}

async function decide(what: 'allow' | 'deny', id: string, work: () => Promise<unknown>): Promise<void> {
  if (doing.value !== undefined) return
  doing.value = what
  failure.value = ''
  try {
    await work()
    await look(id)
  } catch (error) {
    failure.value = wordsFor(error)
    if (error instanceof Refusal && error.code === 'INVALID_STATE') await look(id)
  } finally {
    doing.value = undefined
  }
}

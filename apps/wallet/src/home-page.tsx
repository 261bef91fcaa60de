import type { HomeView } from '@mintmark/contract/wire/owner'
import { signal } from '@preact/signals'
import { Fragment } from 'preact'
import { useEffect } from 'preact/hooks'
import { get, post } from './backend.ts'
import { CardButton, CardSection, isCardOpen, Standing } from './card-section.tsx'
import { LimitBars } from './limit-bars.tsx'
import { isChanging, LimitsSection, openLimits } from './limits-section.tsx'
import { MailSection } from './mail-section.tsx'
import { moment, money, time, when } from './money.ts'
import { wordsFor } from './session.tsx'
import { text } from './text/en.ts'
import { Alert, Button, LinkedAs, Loading, Mark, Sheet, said, Unreached } from './ui.tsx'

type Agent = HomeView['agents'][number]

const view = signal<HomeView | undefined>(undefined)
const isLost = signal(false)
const failure = signal('')
/** The agent whose end waits for a second press. */
const ending = signal<string | undefined>(undefined)
const busy = signal(false)

/** So often a page that is seen asks again: what an agent asks runs out in half an hour. */
const EVERY_MILLIS = 5_000
/** Where two answers race, the one that was asked for last counts. */
let looks = 0

async function look(): Promise<void> {
  looks += 1
  const turn = looks
  try {
    const seen = await get<HomeView>('home')
    if (turn !== looks) return
    tellNew(view.value, seen)
    view.value = seen
    isLost.value = false
  } catch (error) {
    if (turn === looks) isLost.value = wordsFor(error) !== ''
  }
}

/** Tells an owner who cannot see the page of a question that has come. */
function tellNew(before: HomeView | undefined, { waiting }: HomeView): void {
  const known = new Set(before?.waiting.map(({ escalation_id: id }) => id))
  const asked = before && waiting.find(({ escalation_id: id }) => !known.has(id))
  if (asked !== undefined) said.value = text.asksFor(asked.agent, money(asked.amount, asked.currency))
}

/** Looks now, then again and again while the owner can see it, and at once when they come back. */
function lookOn(): () => void {
  const lookIfSeen = () => {
    if (document.visibilityState === 'visible') void look()
  }
  void look()
  const timer = setInterval(lookIfSeen, EVERY_MILLIS)
  document.addEventListener('visibilitychange', lookIfSeen)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', lookIfSeen)
    // The owner who signs in next may be another one.
    view.value = undefined
  }
}

export function HomePage() {
  useEffect(lookOn, [])
  if (view.value === undefined) return isLost.value ? <Unreached again={() => void look()} /> : <Loading />
  const { agents, waiting, mail, now } = view.value
  const active = agents.filter(({ status }) => status === 'active')
  const over = agents.filter(({ status }) => status === 'revoked')
  return (
    <Sheet wide title={text.homeTitle}>
      {isLost.value && <p class="warning">{text.isOld(when(now))}</p>}
      <Waiting waiting={waiting} />
      <Alert words={failure.value} />
      {active.length === 0 ? (
        <p class="lead">{text.homeNone}</p>
      ) : (
        <ul class="agents">
          {active.map((agent) => (
            <Active key={agent.agent_id} agent={agent} />
          ))}
        </ul>
      )}
      {over.length > 0 && (
        <section>
          <h2>{text.ended}</h2>
          <ul class="lines">
            {over.map((agent) => (
              <Over key={agent.agent_id} agent={agent} />
            ))}
          </ul>
        </section>
      )}
      {mail !== null && <MailSection mail={mail} look={look} />}
    </Sheet>
  )
}

function Over({ agent: { name, linked_as, ended_at, mandates } }: { agent: Agent }) {
  return (
    <li>
      <div class="head-words">
        <span>
          <bdi>{name}</bdi> <LinkedAs name={linked_as} />
        </span>
        {mandates.length > 0 && (
          <small>
            {text.endedWithIt} <Permissions mandates={mandates} />
          </small>
        )}
      </div>
      <small>{ended_at === null ? text.maySpendNothing : text.endedOn(moment(ended_at))}</small>
    </li>
  )
}

/** Each with its shop, whose name is another party's word. */
function Permissions({ mandates }: Pick<Agent, 'mandates'>) {
  return (
    <>
      {mandates.map(({ merchant_name, amount, currency, frequency }, index) => (
        <Fragment key={`${index}`}>
          {index > 0 && ', '}
          <bdi>{merchant_name}</bdi> ({text.upTo(money(amount, currency), frequency)})
        </Fragment>
      ))}
    </>
  )
}

function Waiting({ waiting }: Pick<HomeView, 'waiting'>) {
  if (waiting.length === 0) return null
  return (
    <section>
      <h2>{text.waitsForYou}</h2>
      <ul class="agents">
        {waiting.map(({ escalation_id: id, agent, linked_as, amount, currency, payee, expires_at }) => (
          <li key={id}>
            <a class="asked" href={`/escalations/${id}`}>
              <span class="head-words">
                <span class="strong">{text.asksFor(agent, money(amount, currency))}</span>
                <small>
                  <bdi>{payee}</bdi>
                </small>
                <LinkedAs name={linked_as} />
              </span>
              <span class="chip">{text.until(time(expires_at))}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Active({ agent }: { agent: Agent }) {
  const { agent_id: id, name, linked_as, platform, limits, terms, mandates } = agent
  return (
    <li class="agent">
      <div class="head">
        <Mark name={name} />
        <p class="head-words">
          <bdi class="strong">{name}</bdi>
          <small>{platform === null ? text.anAgent : text.anAgentOn(platform)}</small>
          <LinkedAs name={linked_as} />
        </p>
        {ending.value !== id && (
          <Button kind="quiet" label={text.endNamed(name)} onPress={() => ask(id)}>
            {text.end}
          </Button>
        )}
      </div>
      <LimitBars limits={limits} currency={terms.currency} />
      {mandates.length > 0 && (
        <p class="note">
          {text.mayCharge} <Permissions mandates={mandates} />
        </p>
      )}
      <Foot agent={agent} />
      {isChanging(agent) && <LimitsSection agent={agent} look={look} />}
      {isCardOpen(agent) && <CardSection agent={agent} look={look} />}
      {ending.value === id && <Confirm agent={agent} />}
    </li>
  )
}

/** What can be opened below. An agent without a key, which no shop can verify, has no card. */
function Foot({ agent }: { agent: Agent }) {
  const { name, has_key, published } = agent
  return (
    <div class="agent-foot">
      {has_key && <Standing published={published} />}
      <span class="agent-ways">
        {!isChanging(agent) && (
          <Button kind="quiet" label={text.limitsNamed(name)} onPress={() => openLimits(agent)}>
            {text.showLimits}
          </Button>
        )}
        {has_key && !isCardOpen(agent) && <CardButton agent={agent} />}
      </span>
    </div>
  )
}

/** What ends cannot begin again: one press asks, the next one does it. */
function Confirm({ agent: { agent_id: id, name, mandates } }: { agent: Agent }) {
  return (
    <div class="confirm">
      <div id="confirm">
        <p>{text.endWords(name)}</p>
        {mandates.length > 0 && (
          <p>
            {text.endsWithIt} <Permissions mandates={mandates} />
          </p>
        )}
      </div>
      <div class="pair">
        <Button kind="secondary" onPress={() => ask(undefined)}>
          {text.keep}
        </Button>
        <Button kind="danger" busy={busy.value} describedBy="confirm" onPress={() => void revoke(id, name)}>
          {text.endNow}
        </Button>
      </div>
    </div>
  )
}

function ask(id: string | undefined): void {
  ending.value = id
  failure.value = ''
}

async function revoke(id: string, name: string): Promise<void> {
  if (busy.value) return
  busy.value = true
  try {
    await post(`agents/${encodeURIComponent(id)}/revoke`)
    ending.value = undefined
    said.value = text.hasEnded(name)
  } catch (error) {
    failure.value = wordsFor(error)
  } finally {
    busy.value = false
    await look()
  }
}

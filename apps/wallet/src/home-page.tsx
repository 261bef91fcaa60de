import type { HomeView } from '@mintmark/contract/wire/owner'
import { get, post } from '@mintmark/ui/backend.ts'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { CardButton, CardSection, isCardOpen, Standing } from './card-section.tsx'
import { LimitBars } from './limit-bars.tsx'
import { isChanging, LimitsSection, openLimits } from './limits-section.tsx'
import { MailSection } from './mail-section.tsx'
import { day, money, time } from './money.ts'
import { Lately } from './seen/lately.tsx'
import { MoneySection } from './seen/money-section.tsx'
import { wordsFor } from './session.tsx'
import { words } from './text/seen/words.ts'
import { text } from './text/words.ts'
import { Alert, Button, Loading, Mark, Sheet, said, Unreached } from './ui.tsx'

type Agent = HomeView['agents'][number]

const view = signal<HomeView | undefined>(undefined)
const isLost = signal(false)
const failure = signal('')
/** The agent whose end waits for a second press. */
const ending = signal<string | undefined>(undefined)
const busy = signal(false)

async function read(): Promise<void> {
  isLost.value = false
  try {
    view.value = await get<HomeView>('home')
  } catch (error) {
    isLost.value = wordsFor(error) !== ''
  }
}

const POLL_MILLIS = 15_000
/** What was read in the background and says something else of what waits; it is shown at a press. */
const newer = signal<HomeView | undefined>(undefined)
const waitingIn = ({ waiting }: HomeView) => waiting.map(({ escalation_id: id }) => id).join(' ')

/** What changes is announced, and moves nothing that is being read. A page that is not seen asks for nothing. */
async function poll(): Promise<void> {
  if (document.visibilityState !== 'visible' || view.value === undefined) return
  try {
    const found = await get<HomeView>('home')
    newer.value = view.value !== undefined && waitingIn(found) !== waitingIn(view.value) ? found : undefined
  } catch {
    // The next turn asks again; a press that fails says so.
  }
}

function showNewer(): void {
  view.value = newer.value ?? view.value
  newer.value = undefined
}

export function HomePage() {
  useEffect(() => void read(), [])
  useEffect(() => {
    const timer = setInterval(() => void poll(), POLL_MILLIS)
    return () => clearInterval(timer)
  }, [])
  if (isLost.value) return <Unreached again={() => void read()} />
  if (view.value === undefined) return <Loading />
  const { agents, waiting, money: seen, mail } = view.value
  const active = agents.filter(({ status }) => status === 'active')
  const over = agents.filter(({ status }) => status === 'revoked')
  return (
    <Sheet wide title={text.homeTitle}>
      <p role="status" class={newer.value === undefined ? 'visually-hidden' : ''}>
        {newer.value !== undefined && (
          <Button kind="secondary" onPress={showNewer}>
            {words.changedMeanwhile}
          </Button>
        )}
      </p>
      <Waiting waiting={waiting} />
      {agents.length > 0 && <MoneySection money={seen} />}
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
            {over.map(({ agent_id, name, ended_at }) => (
              <li key={agent_id}>
                <a href={`/agents/${encodeURIComponent(agent_id)}`}>
                  <bdi>{name}</bdi>
                </a>
                <span class="muted">
                  <span>{text.maySpendNothing}</span>
                  {ended_at !== null && <small class="block">{words.endedOn(day(ended_at))}</small>}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {agents.length > 0 && <Lately />}
      {mail !== null && <MailSection mail={mail} read={read} />}
    </Sheet>
  )
}

function Waiting({ waiting }: Pick<HomeView, 'waiting'>) {
  if (waiting.length === 0) return null
  return (
    <section>
      <h2>{text.waitsForYou}</h2>
      <ul class="agents">
        {waiting.map(({ escalation_id: id, agent, amount, currency, payee, expires_at }) => (
          <li key={id}>
            <a class="asked" href={`/escalations/${id}`}>
              <span class="head-words">
                <span class="strong">{text.asksFor(agent, money(amount, currency))}</span>
                <small>
                  <bdi>{payee}</bdi>
                </small>
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
  const { agent_id: id, name, platform, limits, terms } = agent
  return (
    <li class="agent">
      <div class="head">
        <Mark name={name} />
        <p class="head-words">
          <a class="strong" href={`/agents/${encodeURIComponent(id)}`}>
            <bdi>{name}</bdi>
          </a>
          <small>{platform === null ? text.anAgent : text.anAgentOn(platform)}</small>
        </p>
        {ending.value !== id && (
          <Button kind="quiet" label={text.endNamed(name)} onPress={() => ask(id)}>
            {text.end}
          </Button>
        )}
      </div>
      <LimitBars limits={limits} currency={terms.currency} />
      <Foot agent={agent} />
      {isChanging(agent) && <LimitsSection agent={agent} read={read} />}
      {isCardOpen(agent) && <CardSection agent={agent} read={read} />}
      {ending.value === id && <Confirm agent={agent} />}
    </li>
  )
}

/** What can be opened below. An agent without a key cannot be verified, and has no card. */
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
function Confirm({ agent: { agent_id: id, name } }: { agent: Agent }) {
  return (
    <div class="confirm">
      <p id="confirm">{text.endWords(name)}</p>
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
    await read()
  }
}

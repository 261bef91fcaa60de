import type { CardView, HomeView } from '@mintmark/contract/wire/owner'
import { signal } from '@preact/signals'
import { get, post } from './backend.ts'
import { short } from './money.ts'
import { wordsFor } from './session.tsx'
import { text } from './text/en.ts'
import { Alert, Button, said } from './ui.tsx'

type Agent = HomeView['agents'][number]

/** The agent whose card is open, and the card once it is there. */
const open = signal<{ id: string; card?: CardView['card'] } | undefined>(undefined)
const failure = signal('')
const busy = signal(false)

interface CardProps {
  agent: Agent
  look: () => Promise<void>
}

export const isCardOpen = (agent: Agent) => open.value?.id === agent.agent_id

/** Whether shops can verify the agent. */
export function Standing({ published }: Pick<Agent, 'published'>) {
  return <span class={published ? 'chip chip-good' : 'muted'}>{published ? text.isPublic : text.isPrivate}</span>
}

export function CardButton({ agent: { agent_id: id, name } }: Pick<CardProps, 'agent'>) {
  return (
    <Button kind="quiet" label={text.cardNamed(name)} busy={busy.value} onPress={() => void show(id)}>
      {text.showCard}
    </Button>
  )
}

/** What shops would read, before it is published. */
export function CardSection({ agent, look }: CardProps) {
  const { name, published } = agent
  const card = open.value?.card
  const says = published ? text.publicWords : text.privateWords
  return (
    <div class="confirm">
      <p id="card-words">{says(name)}</p>
      {card !== undefined && <Facts card={card} />}
      <Alert words={failure.value} />
      <div class="pair">
        <Button kind="secondary" onPress={close}>
          {published ? text.closeCard : text.keepPrivate}
        </Button>
        {card !== undefined && (
          <Button
            kind={published ? 'danger' : 'secondary'}
            busy={busy.value}
            describedBy="card-words"
            onPress={() => void decide(agent, published ? 'unpublish' : 'publish', look)}
          >
            {published ? text.unpublish : text.publish}
          </Button>
        )}
      </div>
      {published && card !== undefined && card.client_name !== name && (
        <Renamed agent={agent} card={card} look={look} />
      )}
    </div>
  )
}

/** The agent calls itself otherwise by now: shops read that when its owner has published it again. */
function Renamed({ agent, card, look }: CardProps & { card: CardView['card'] }) {
  return (
    <>
      <p id="card-renamed">{text.cardRenamed(agent.name, card.client_name)}</p>
      <Button
        kind="secondary"
        busy={busy.value}
        describedBy="card-renamed"
        onPress={() => void decide(agent, 'publish', look)}
      >
        {text.publishAgain}
      </Button>
    </>
  )
}

/** The card as everybody reads it: what matters of it, and the whole of it. */
function Facts({ card }: { card: CardView['card'] }) {
  return (
    <>
      <dl class="facts">
        <dt>{text.cardName}</dt>
        <dd>
          <bdi>{card.client_name ?? text.cardNameless}</bdi>
        </dd>
        <dt>{text.cardKey}</dt>
        <dd>
          {card.jwks.keys.map(({ kid }) => (
            <code key={kid}>{short(kid)}</code>
          ))}
        </dd>
        <dt>{text.cardAt}</dt>
        <dd>
          <code>{card.client_id}</code>
        </dd>
      </dl>
      <details class="key">
        <summary>{text.cardWhole}</summary>
        <pre>{JSON.stringify(card, null, 2)}</pre>
      </details>
    </>
  )
}

function close(): void {
  open.value = undefined
  failure.value = ''
}

async function show(id: string): Promise<void> {
  if (busy.value) return
  busy.value = true
  failure.value = ''
  open.value = { id }
  try {
    open.value = { id, card: (await get<CardView>(`agents/${encodeURIComponent(id)}/card`)).card }
  } catch (error) {
    failure.value = wordsFor(error)
  } finally {
    busy.value = false
  }
}

async function decide(
  { agent_id: id, name, published }: Agent,
  what: 'publish' | 'unpublish',
  look: () => Promise<void>,
): Promise<void> {
  // The owner has read the name to be published: on the card where the agent is private, else on the page.
  const read = published ? name : open.value?.card?.client_name
  if (busy.value) return
  busy.value = true
  failure.value = ''
  try {
    await post(`agents/${encodeURIComponent(id)}/${what}`, what === 'publish' ? { client_name: read } : undefined)
    close()
    said.value = what === 'publish' ? text.hasPublished : text.hasUnpublished
  } catch (error) {
    failure.value = wordsFor(error)
  } finally {
    busy.value = false
    await look()
  }
}

import type { SurfaceCard } from '@mintmark/contract/wire/surface'
import { Button } from '@mintmark/ui/button.tsx'
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { askIn } from '../cancel-bar.ts'
import { cardName } from '../card-text.ts'
import { runCeremony } from '../ceremony.ts'
import { h } from '../dom.ts'
import { startAuthentication } from '../passkey-dialogs.ts'
import { filledText } from '../phrase.ts'
import type { ScreenHost } from '../screen.ts'
import { text } from '../text/text.ts'

export interface CardRemoval {
  /** It is asked about in `bar`. */
  asks(card: SurfaceCard): boolean
  bar: HTMLElement
  ask(card: SurfaceCard): void
}

/** Asks once more, with what is signed at hand: some browsers want the dialog right at the person's action. */
export function createCardRemoval(host: ScreenHost, changed: () => void): CardRemoval {
  const bar = h('div', { class: 'cancel-bar' })
  let asked: SurfaceCard | null = null
  const keep = () => {
    const item = bar.closest('li')
    asked = null
    changed()
    item?.querySelector('button')?.focus()
  }
  const ask = async (card: SurfaceCard): Promise<void> => {
    const { card_id } = card
    const answer = await host.fetch(() => host.backend.removalOptions({ card_id, frame: host.frame }))
    if (answer === null) return
    const { removal_id } = answer.terms
    const optionsJSON = answer.options as unknown as PublicKeyCredentialRequestOptionsJSON
    const remove = async () => {
      host.listsCards = true
      const dialog = () => startAuthentication({ optionsJSON })
      await runCeremony(host, dialog, (response) => host.backend.removeCard({ removal_id, response }))
      host.listsCards = false
    }
    asked = card
    changed()
    const { removing: question, removeYes: yes, keep: no } = text.savedCards
    const words = { question: filledText(question, { card: cardName(card) }), yes, no, busy: text.approval.busy }
    askIn(bar, words, remove, keep)
  }
  return {
    asks: ({ card_id }) => card_id === asked?.card_id,
    bar,
    ask: (card) => void ask(card),
  }
}

export function RemoveButton({ card, removal }: { card: SurfaceCard; removal: CardRemoval }) {
  const label = `${text.savedCards.remove} ${cardName(card)}`
  return (
    <Button kind="quiet" label={label} onPress={() => removal.ask(card)}>
      {text.savedCards.remove}
    </Button>
  )
}

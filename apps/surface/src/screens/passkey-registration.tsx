import { Button } from '@mintmark/ui/button.tsx'
import type { RegistrationResponseJSON } from '@simplewebauthn/browser'
import { createApproveButton } from '../approve-button.ts'
import { runCeremony } from '../ceremony.ts'
import { heading } from '../dom.ts'
import { draw, Placed } from '../draw.tsx'
import { startRegistration } from '../passkey-dialogs.ts'
import type { Screen, ScreenHost } from '../screen.ts'
import { CardHere, Sentence, Trouble } from '../screen-parts.tsx'
import { standing } from '../standing.ts'
import { text } from '../text/text.ts'
import { chooseCard } from './choose-card.ts'

/** A step of the same sheet: what is made here approves what stands there, and the press for it counts for both. */
export function passkeyRegistration(host: ScreenHost): Screen {
  const words = text.passkeyRegistration
  const { flow, view, trouble } = host
  const create = createApproveButton({
    label: words.submit,
    how: flow.words.afterPasskey,
    obstacle: () => false,
    async approve() {
      const optionsJSON = await host.fetch(() => host.backend.registrationOptions(host.frame))
      if (optionsJSON === null) return
      host.pressedFor = standing(flow, view)
      const send = (answer: RegistrationResponseJSON) => host.backend.register(answer, host.frame)
      await runCeremony(host, () => startRegistration({ optionsJSON }), send)
    },
  })
  return {
    element: draw(
      <>
        {view.card && (
          <CardHere card={view.card}>
            {!flow.cardFixed?.(view) && (
              <Button
                kind="quiet"
                label={text.savedCards.changeNamed}
                onPress={() => host.show(chooseCard(host, () => host.redraw()))}
              >
                {text.savedCards.change}
              </Button>
            )}
          </CardHere>
        )}
        <Placed element={heading(words.title)} />
        <p class="lead">{words.why}</p>
        <Sentence phrase={flow.say(view)} />
        {trouble && <Trouble trouble={trouble} />}
        <Placed element={create.element} />
      </>,
    ),
    enter: () => create.enter(host),
    leave: create.leave,
  }
}

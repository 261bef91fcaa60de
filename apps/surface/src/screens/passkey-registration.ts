import { type RegistrationResponseJSON, startRegistration } from '@simplewebauthn/browser'
import { button } from '../button.ts'
import { closedLine, runCeremony } from '../ceremony.ts'
import { h, heading, paragraph } from '../dom.ts'
import { passkeyIcon } from '../icons.ts'
import { foreign } from '../phrase.ts'
import type { Screen, ScreenHost } from '../screen.ts'
import { text } from '../text/text.ts'

export function passkeyRegistration(host: ScreenHost): Screen {
  const words = text.passkeyRegistration
  const said = host.flow.said?.(host.view)
  const line = closedLine()
  const create = button(
    words.submit,
    async () => {
      const optionsJSON = await host.fetch(() => host.backend.registrationOptions(host.frame))
      if (optionsJSON === null) return
      await runCeremony(host, {
        dialog: () => startRegistration({ optionsJSON }),
        send: (answer: RegistrationResponseJSON) => host.backend.register(answer, host.frame),
        line,
        closed: text.passkeyClosed.registration,
      })
    },
    { busy: words.busy },
  )
  const element = h(
    'div',
    {},
    passkeyIcon(),
    heading(words.title),
    paragraph(words.why),
    said === undefined ? null : paragraph([foreign(said)], 'sentence'),
    line,
    create,
    paragraph(host.flow.words.afterPasskey, 'hint hint-center'),
  )
  return { element }
}

import { startRegistration } from '@simplewebauthn/browser'
import { button } from '../button.ts'
import { runCeremony } from '../ceremony.ts'
import { h, heading, paragraph } from '../dom.ts'
import { passkeyIcon } from '../icons.ts'
import type { Desk, Screen } from '../screen.ts'

export function passkeyRegistration(desk: Desk): Screen {
  const create = button('Create a passkey', async () => {
    const optionsJSON = await desk.fetch(() => desk.backend.registrationOptions(desk.frame))
    if (optionsJSON === null) return
    await runCeremony(desk, () => startRegistration({ optionsJSON }), desk.backend.register)
  })
  const element = h(
    'div',
    {},
    passkeyIcon(),
    heading('Create a passkey'),
    paragraph(
      'A passkey lets you approve payments with your fingerprint, your face or your screen lock, so that nobody else can pay with your card.',
    ),
    create,
    paragraph('Next you approve this payment with it.', 'hint hint-center'),
  )
  return { element }
}

import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'

/**
 * The browser's dialog gave nothing: it was closed, its time ran out, or it found no passkey. It does not say which.
 */
export class NotUsed extends Error {
  override name = 'NotUsed'
}

/** The device has a passkey for this already, or none can be used on it. */
export class Unusable extends Error {
  override name = 'Unusable'
}

export const usePasskey = (options: object) =>
  inDialog(() => startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON }))

export const makePasskey = (options: object) =>
  inDialog(() => startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON }))

async function inDialog<Answer>(dialog: () => Promise<Answer>): Promise<Answer> {
  try {
    return await dialog()
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    if (name === 'NotAllowedError' || name === 'AbortError') throw new NotUsed('No passkey was used.', { cause: error })
    throw new Unusable('The passkey could not be used.', { cause: error })
  }
}

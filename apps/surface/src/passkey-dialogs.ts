import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialDescriptorJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'

// The browser's two dialogs for passkeys, asked and answered in JSON: phones of 2023 do not speak it themselves. They
// say the same as those of `@simplewebauthn/browser`, as far as the service reads it; `passkey-dialogs.test.ts`
// compares.

export const supportsPasskeys = (): boolean => typeof globalThis.PublicKeyCredential === 'function'

export async function startRegistration({
  optionsJSON: { challenge, user, excludeCredentials, ...rest },
}: Asked<PublicKeyCredentialCreationOptionsJSON>): Promise<RegistrationResponseJSON> {
  const publicKey = {
    ...rest,
    challenge: bytesOf(challenge),
    user: { ...user, id: bytesOf(user.id) },
    excludeCredentials: excludeCredentials?.map(descriptorOf),
  }
  return answerOf(await navigator.credentials.create({ publicKey, signal: nextSignal() } as CredentialCreationOptions))
}

export async function startAuthentication({
  optionsJSON: { challenge, allowCredentials, ...rest },
}: Asked<PublicKeyCredentialRequestOptionsJSON>): Promise<AuthenticationResponseJSON> {
  const publicKey = {
    ...rest,
    challenge: bytesOf(challenge),
    // Some browsers find nothing by an empty list.
    ...(allowCredentials?.length && { allowCredentials: allowCredentials.map(descriptorOf) }),
  }
  return answerOf(await navigator.credentials.get({ publicKey, signal: nextSignal() } as CredentialRequestOptions))
}

interface Asked<Options> {
  optionsJSON: Options
}

let current: AbortController | undefined

/** One dialog at a time: the next takes back the one before. */
function nextSignal(): AbortSignal {
  current?.abort()
  current = new AbortController()
  return current.signal
}

const descriptorOf = ({ id, ...rest }: PublicKeyCredentialDescriptorJSON) => ({ ...rest, id: bytesOf(id) })

/** What a dialog of either kind brings has. */
type Response = Partial<AuthenticatorAttestationResponse & AuthenticatorAssertionResponse>
const PARTS = ['attestationObject', 'authenticatorData', 'clientDataJSON', 'signature', 'userHandle'] as const

function answerOf<Answer extends RegistrationResponseJSON | AuthenticationResponseJSON>(
  found: Credential | null,
): Answer {
  const { id, type, rawId, response: said } = found as PublicKeyCredential
  const response = said as Response
  const parts = PARTS.flatMap((part) => (response[part] ? [[part, textOf(response[part])]] : []))
  return {
    ...{ id, type, rawId: textOf(rawId) },
    response: { ...Object.fromEntries(parts), transports: response.getTransports?.() },
  } as Answer
}

/** Base64url, without padding. */
const bytesOf = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (byte) => byte.charCodeAt(0))

const textOf = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

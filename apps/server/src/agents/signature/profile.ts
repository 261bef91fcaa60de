import {
  AGENT_CLOCK_SKEW_SECONDS,
  AGENT_SIGNATURE_ALGORITHM,
  AGENT_SIGNATURE_LIFETIME_SECONDS,
  AGENT_SIGNATURE_PARAMETERS,
  AGENT_SIGNATURE_TAG,
  AGENT_SIGNED_COMPONENTS,
  type AgentSignedComponent,
  BODY_COMPONENT,
} from '@mintmark/contract/agent-signature'
import type { Parameters } from 'structured-headers'
import { named, refuse } from './message.ts'

/** What the parameters of a signature say, all of it as the profile wants it. Times in seconds. */
export interface SignatureParameters {
  created: number
  expires: number
  nonce: string
  keyid: string
}

const COMPONENTS: readonly string[] = [...AGENT_SIGNED_COMPONENTS, BODY_COMPONENT]
const PARAMETERS: readonly string[] = [...AGENT_SIGNATURE_PARAMETERS, 'alg']

const MAX_NONCE_LENGTH = 128
/** An id of an agent, or a thumbprint: base64url of 32 bytes. */
const KEY_ID = /^[\w-]{1,64}$/

/** Exactly what the profile says, in any order. The service would not look at what is covered beside it, so that would prove nothing. */
export function checkComponents(components: readonly string[], hasBody: boolean): void {
  components.forEach((name, place) => {
    if (!COMPONENTS.includes(name))
      refuse('signature_invalid', `The component ${named(name)} is not one of the profile.`)
    if (components.indexOf(name) !== place)
      refuse('signature_invalid', `The component ${named(name)} is covered twice.`)
  })
  const wanted: AgentSignedComponent[] = hasBody
    ? [...AGENT_SIGNED_COMPONENTS, BODY_COMPONENT]
    : [...AGENT_SIGNED_COMPONENTS]
  const missing = wanted.filter((name) => !components.includes(name))
  if (missing.length > 0) refuse('component_missing', `The signature does not cover ${missing.join(', ')}.`, missing)
}

export function readParameters(parameters: Parameters): SignatureParameters {
  for (const name of parameters.keys()) {
    if (!PARAMETERS.includes(name))
      refuse('signature_invalid', `The parameter ${named(name)} is not one of the profile.`)
  }
  const [created, expires] = [secondsOf(parameters, 'created'), secondsOf(parameters, 'expires')]
  const [nonce, keyid] = [textOf(parameters, 'nonce'), textOf(parameters, 'keyid')]
  const tag = textOf(parameters, 'tag')
  if (tag !== AGENT_SIGNATURE_TAG)
    refuse('signature_invalid', `tag is ${named(tag)}; "${AGENT_SIGNATURE_TAG}" is right.`)
  if (parameters.has('alg')) {
    const algorithm = textOf(parameters, 'alg')
    if (algorithm !== AGENT_SIGNATURE_ALGORITHM) {
      refuse('signature_invalid', `alg is ${named(algorithm)}; the key is of "${AGENT_SIGNATURE_ALGORITHM}".`)
    }
  }
  if (nonce === '' || nonce.length > MAX_NONCE_LENGTH) {
    refuse('signature_invalid', `nonce has ${nonce.length} characters; 1 to ${MAX_NONCE_LENGTH} are right.`)
  }
  if (!KEY_ID.test(keyid)) refuse('key_unknown', 'keyid is neither the id of an agent nor the thumbprint of a key.')
  return { created, expires, nonce, keyid }
}

/** Both ends with the skew: a signature lives 300 seconds by the clock of its agent, and 420 at most by ours. */
export function checkTime({ created, expires }: SignatureParameters, now: Date): void {
  const seconds = Math.floor(now.getTime() / 1_000)
  if (!(expires > created)) refuse('signature_invalid', 'expires is not later than created.')
  if (!(expires - created <= AGENT_SIGNATURE_LIFETIME_SECONDS)) {
    refuse('signature_invalid', `expires is more than ${AGENT_SIGNATURE_LIFETIME_SECONDS} seconds later than created.`)
  }
  if (!(created - seconds <= AGENT_CLOCK_SKEW_SECONDS)) {
    refuse('signature_expired', `created is ${created - seconds} seconds in the future.`)
  }
  if (!(seconds - expires <= AGENT_CLOCK_SKEW_SECONDS)) {
    refuse('signature_expired', `The signature expired ${seconds - expires} seconds ago.`)
  }
}

function secondsOf(parameters: Parameters, name: string): number {
  const value = parameters.get(name)
  if (value === undefined) refuse('signature_invalid', `The parameter ${name} is missing.`)
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    refuse('signature_invalid', `The parameter ${name} is not a time in whole seconds.`)
  }
  return value
}

function textOf(parameters: Parameters, name: string): string {
  const value = parameters.get(name)
  if (value === undefined) refuse('signature_invalid', `The parameter ${name} is missing.`)
  if (typeof value !== 'string') refuse('signature_invalid', `The parameter ${name} is not a string.`)
  return value
}

import type { AgentSignatureFailure, AgentSignedComponent } from '@mintmark/contract/agent-signature'

/** The head of a request as it came, before anything has read it. */
export interface SignedHead {
  method: string
  /** Which port needs no name. Default: https. */
  scheme?: 'http' | 'https'
  /** `Host` as it came. */
  authority: string
  /** Path and query as they came: what is decoded or put right is another request. */
  rawTarget: string
  /** In pairs, so that what came twice is seen twice. */
  headers: readonly (readonly [name: string, value: string])[]
  /** Whether bytes follow. */
  hasBody: boolean
}

/** A whole request. */
export interface SignedMessage extends Omit<SignedHead, 'hasBody'> {
  /** The bytes as they came. */
  body: Uint8Array | undefined
}

/** Why a request is not taken for its agent's. */
export interface SignatureRefusal {
  reason: AgentSignatureFailure
  /** Says to the maker of the agent which check failed. */
  message: string
  /** With `component_missing`: what to cover as well. */
  components?: readonly AgentSignedComponent[]
}

/** Thrown within this folder only; callers of the folder get the refusal. */
export class SignatureRefused extends Error {
  readonly refusal: SignatureRefusal

  constructor(refusal: SignatureRefusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

export function refuse(
  reason: AgentSignatureFailure,
  message: string,
  components?: readonly AgentSignedComponent[],
): never {
  throw new SignatureRefused(components === undefined ? { reason, message } : { reason, message, components })
}

/** A name that the request chose, short enough to be told. */
export const named = (name: unknown) => JSON.stringify(String(name).slice(0, 50))

/** The value of a header that may come once, without the space around it. */
export function onlyHeader(message: Pick<SignedHead, 'headers'>, name: string): string | undefined {
  const values = message.headers.filter(([each]) => each.toLowerCase() === name)
  if (values.length > 1)
    refuse('signature_invalid', `The header ${name} is there ${values.length} times; once is right.`)
  return values[0]?.[1].replace(/^[ \t]+|[ \t]+$/g, '')
}

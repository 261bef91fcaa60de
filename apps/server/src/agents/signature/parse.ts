import type { AgentSignatureFailure } from '@mintmark/contract/agent-signature'
import { type Dictionary, isInnerList, type Parameters, parseDictionary, serializeDictionary } from 'structured-headers'
import { named, onlyHeader, refuse, type SignedHead } from './message.ts'

/** What the headers say, in the form of RFC 9421 and nothing more: the profile is checked elsewhere. */
export interface ParsedSignature {
  /** Names of what is covered, in their order. */
  components: readonly string[]
  parameters: Parameters
  /** The member of `Signature-Input` as it is written: the last line of what is signed. */
  input: string
  signature: Buffer
}

/** A right one is shorter than half of it. */
const MAX_FIELD_LENGTH = 1_024

export function parseSignature(message: Pick<SignedHead, 'headers'>): ParsedSignature {
  const inputField = onlyHeader(message, 'signature-input')
  const signatureField = onlyHeader(message, 'signature')
  if (inputField === undefined || signatureField === undefined) {
    const missing = inputField === undefined ? 'Signature-Input' : 'Signature'
    refuse('signature_missing', `The request has no header ${missing}.`)
  }
  const [label, member] = onlyMember('Signature-Input', inputField)
  const [signatureLabel, signature] = onlyMember('Signature', signatureField)
  if (label !== signatureLabel) {
    refuse('signature_invalid', `Signature-Input is labelled ${named(label)}, Signature ${named(signatureLabel)}.`)
  }
  if (!isInnerList(member)) refuse('signature_invalid', 'Signature-Input is not a list of components.')
  const [bytes, signatureParameters] = signature
  if (!(bytes instanceof ArrayBuffer)) refuse('signature_invalid', 'Signature is not a byte sequence.')
  if (signatureParameters.size > 0)
    refuse('signature_invalid', 'Signature has parameters; they belong in Signature-Input.')
  const [items, parameters] = member
  const components = items.map(([name, itsParameters]) => {
    if (typeof name !== 'string') refuse('signature_invalid', 'A covered component is not a string.')
    const [parameter] = itsParameters.keys()
    if (parameter !== undefined) {
      refuse(
        'signature_invalid',
        `The component ${named(name)} has the parameter ${named(parameter)}; it may have none.`,
      )
    }
    return name
  })
  return { components, parameters, input: inputField.slice(label.length + 1), signature: Buffer.from(bytes) }
}

/** The one member of a dictionary (RFC 8941) of one member. */
function onlyMember(header: string, text: string) {
  const dictionary = parseExactly(header, text, 'signature_invalid')
  const [first, ...others] = dictionary
  if (first === undefined || others.length > 0) {
    refuse('signature_invalid', `${header} has ${dictionary.size} signatures; one is right.`)
  }
  return first
}

/**
 * Takes only what RFC 8941 would write. Its reader is milder: where two members or parameters have one name it keeps the last,
 * and another reader, a proxy in between, may keep the first.
 */
export function parseExactly(header: string, text: string, reason: AgentSignatureFailure): Dictionary {
  if (text.length > MAX_FIELD_LENGTH) refuse(reason, `${header} is longer than ${MAX_FIELD_LENGTH} characters.`)
  let dictionary: Dictionary
  try {
    dictionary = parseDictionary(text)
  } catch {
    refuse(reason, `${header} is not a dictionary of RFC 8941.`)
  }
  if (serializeDictionary(dictionary) !== text) {
    refuse(reason, `${header} says something twice, or is not written in the canonical form of RFC 8941.`)
  }
  return dictionary
}

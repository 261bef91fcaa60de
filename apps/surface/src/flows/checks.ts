import { isSentenceVersion } from '@mintmark/contract/sentence/version'
import type { TermsCard, TermsPayee } from './lines.ts'

// What every kind asks of terms before it puts them into words: what is shown must be what is signed.

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function areTexts(...values: unknown[]): boolean {
  return values.every((value) => typeof value === 'string')
}

export function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}

export function isPayee(value: unknown): value is TermsPayee {
  return isRecord(value) && areTexts(value.name, value.url)
}

/** Nothing is approved without the sentence that says it, in words that this page knows. */
export function isAsked({ agent, sentence }: Record<string, unknown>): boolean {
  if (agent !== undefined && !(isRecord(agent) && areTexts(agent.name))) return false
  return isRecord(sentence) && isSentenceVersion(sentence.version) && areTexts(sentence.language, sentence.text)
}

export function isCard(value: unknown): value is TermsCard {
  return isRecord(value) && areTexts(value.last4) && isTextOrNull(value.brand)
}

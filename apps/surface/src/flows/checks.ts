import { isSentenceVersion } from '@mintmark/contract/sentence/version'
import type { Said, SignedCard } from './flow.ts'

// What every kind asks of terms before they may be approved: the page must know all that it lets a cardholder sign.

/** What is read of terms of every kind: the sentence that says them all, the card, and the agent where one asks. */
export interface Asked {
  agent?: { name: string }
  sentence: Said
  card: SignedCard
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function areTexts(...values: unknown[]): boolean {
  return values.every((value) => typeof value === 'string')
}

export function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}

export function isPayee(value: unknown): value is { name: string; url: string } {
  return isRecord(value) && areTexts(value.name, value.url)
}

/** Nothing is approved without the sentence that says it, in words that this page knows. */
export function isAsked({ agent, sentence, card }: Record<string, unknown>): boolean {
  if (!isRecord(card) || !areTexts(card.last4) || !isTextOrNull(card.brand)) return false
  if (agent !== undefined && !(isRecord(agent) && areTexts(agent.name))) return false
  return isRecord(sentence) && isSentenceVersion(sentence.version) && areTexts(sentence.language, sentence.text)
}

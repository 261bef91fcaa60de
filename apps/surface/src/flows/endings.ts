import type { SurfaceOutcome } from '@mintmark/contract/surface'

/** The words of a flow for its ends. */
interface EndWords {
  outcomes: Record<SurfaceOutcome, { text: string }>
  failures: Record<string, string>
}
type Failure = { code: string } | null

export function outcomeText(words: EndWords, outcome: SurfaceOutcome, failure: Failure): string {
  return (outcome === 'failed' ? failureText(words, failure) : null) ?? words.outcomes[outcome].text
}

/** A code of a later version has no words here: then nothing is claimed about the money. */
export function failureText({ failures, outcomes }: EndWords, failure: Failure): string | null {
  if (failure === null) return null
  return (Object.hasOwn(failures, failure.code) ? failures[failure.code] : undefined) ?? outcomes.failed.text
}

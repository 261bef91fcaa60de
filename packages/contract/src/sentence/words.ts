import type { RecurringFrequency } from '../states.ts'

/** The end of what is allowed. `span`: counted from the approval. */
export type End = { kind: 'day' | 'span'; text: string }

interface Purchase {
  payee: string
  amount: string
  agent: string | null
}

export interface LinkParts {
  agent: string
  /** Null: any shop. */
  merchants: string | null
  hours: { from: string; to: string; zone: string } | null
  /** What limits it, each said by `caps`; null: nothing. */
  caps: string | null
  /** When it asks first, each said by `asks`; null: never. */
  asks: string | null
}

/**
 * The words of one language. A language that lacks one does not compile. Names, amounts and times come in as the reader reads them; what
 * a person allows must not depend on the language that they read it in.
 */
export interface SentenceWords {
  payment(said: Purchase & { end: End }): string
  quote(said: Purchase & { operator: string }): string
  mandate(
    said: Purchase & {
      frequency: RecurringFrequency
      /** False: at any shop. */
      onlyThere: boolean
      /** Null: only the cap limits it. */
      times: number | null
      end: End
      most: string
    },
  ): string
  enrollment(said: { operator: string; payee: string }): string
  charge(said: Purchase & { agent: string; span: string }): string
  link(said: LinkParts): string
  /** `may`: what the agent may do, said by `link`. */
  join(said: { asks: string; agent: string; may: string }): string
  /** Parts of `link`. */
  caps: {
    charge(amount: string): string
    day(amount: string): string
    month(amount: string): string
    open(count: number): string
  }
  asks: { above(amount: string): string; repeats: string }
  /** Other limits of an agent: what each is, and was. Null: no limit of that kind. */
  changes: {
    said(said: { agent: string; changes: readonly string[] }): string
    instead(now: string, was: string): string
    charge(amount: string | null): string
    day(amount: string | null): string
    month(amount: string | null): string
    open(count: number | null): string
    merchants(list: string | null): string
    hours(hours: LinkParts['hours']): string
    above(amount: string | null): string
    repeats(asks: boolean): string
  }
}

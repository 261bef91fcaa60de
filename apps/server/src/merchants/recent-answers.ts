import { unbounded } from '../platform/bounds.ts'

interface Entry<Answer> {
  askedAt: number
  answer: Promise<Answer>
}

/**
 * Remembers answers for a moment, and lets callers that ask the same thing at the same time share one question.
 *
 * An answer counts as old as its question: what was true when the question was put may have changed before the answer
 * came. So no caller joins a question older than `maxAgeMillis` either, and none ever gets an answer about a state that
 * ended more than `maxAgeMillis` before the caller came. A failure is not remembered.
 */
export class RecentAnswers<Answer> {
  readonly #entries = new Map<string, Entry<Answer>>()
  readonly #maxAgeMillis: number
  readonly #maxEntries: number
  readonly #monotonicMillis: () => number

  constructor(options: { maxAgeMillis: number; maxEntries: number; monotonicMillis: () => number }) {
    this.#maxAgeMillis = options.maxAgeMillis
    this.#maxEntries = options.maxEntries
    this.#monotonicMillis = options.monotonicMillis
  }

  ask(question: string, find: () => Promise<Answer>): Promise<Answer> {
    const now = this.#monotonicMillis()
    const known = this.#entries.get(question)
    if (known !== undefined && now - known.askedAt < this.#maxAgeMillis) return known.answer
    const entry = { askedAt: now, answer: unbounded(find) }
    this.#remember(question, entry)
    entry.answer.catch(() => {
      if (this.#entries.get(question) === entry) this.#entries.delete(question)
    })
    return entry.answer
  }

  forgetAll(): void {
    this.#entries.clear()
  }

  get size(): number {
    return this.#entries.size
  }

  #remember(question: string, entry: Entry<Answer>): void {
    // A Map iterates in the order of insertion; deleting first makes a renewed question the youngest.
    this.#entries.delete(question)
    this.#entries.set(question, entry)
    if (this.#entries.size <= this.#maxEntries) return
    const oldest = this.#entries.keys().next()
    if (oldest.done !== true) this.#entries.delete(oldest.value)
  }
}

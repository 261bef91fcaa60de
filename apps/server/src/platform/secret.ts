import { inspect } from 'node:util'

/**
 * A value that must not be shown: a card number, a CVV, a credential, a key. It prints, serialises and inspects as
 * `[secret]`, so that a careless log line, template string or JSON body shows nothing. `reveal()` is allowed only in
 * the files that a test lists (`secret.test.ts`).
 */
export class Secret<T = string> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  reveal(): T {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}

export function secret<T>(value: T): Secret<T> {
  return new Secret(value)
}

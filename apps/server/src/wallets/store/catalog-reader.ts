import { AMOUNT_PATTERN, type CatalogSource, CURRENCIES, STORE_CATEGORY_CODES } from '@mintmark/contract'
import type { ErrorDetails } from '../../platform/errors.ts'
import { fractionProblem, minorFromAmount } from '../../platform/money.ts'
import { foldWhiteSpace, isCleanText, showsName, showsSomething } from '../../platform/text.ts'
import type { Catalog, CatalogEntry, CatalogStore } from './catalog.ts'
import { isPossiblePrice } from './rules.ts'

/** One line of a file: its JSON, or by field what is wrong with it. */
export type CatalogLine = { number: number } & ({ value: unknown } | { problems: ErrorDetails })

/** More would be one transaction of several minutes. */
export const MAX_LINES = 50_000
/** Enough to repair a file with, few enough to be read. */
const MAX_PROBLEMS = 50
const MAX_INVENTORY = 1_000_000_000
const MAX_IMAGES = 10

/** A value of a field, or what is wrong with it. */
type Reading<T> = { value: T } | { problem: string }
type Reader<T> = (given: unknown) => Reading<T>
type Readers = Readonly<Record<string, Reader<unknown>>>
type Read<R extends Readers> = { [Name in keyof R]: R[Name] extends Reader<infer Value> ? Value : never }

const problem = (words: string): Reading<never> => ({ problem: words })

/** Absent, null and (for texts) empty are the same. */
function optional<T, Without>(reader: Reader<T>, without: Without): Reader<T | Without> {
  return (given) =>
    given === undefined || given === null || given === '' ? { value: without } : (reader(given) as Reading<T | Without>)
}

const text =
  (most: number): Reader<string> =>
  (given) => {
    if (given === undefined) return problem('is required')
    if (typeof given !== 'string') return problem('must be a string')
    const value = foldWhiteSpace(given)
    if (value === '') return problem('must not be blank')
    if (value.length > most) return problem(`must have at most ${most} characters`)
    return isCleanText(value) && value.isWellFormed() ? { value } : problem('must not contain control characters')
  }

/** The same where people read it. */
const shown =
  (most: number, shows: (value: string) => boolean): Reader<string> =>
  (given) => {
    const read = text(most)(given)
    return 'value' in read && !shows(read.value) ? problem('must show something') : read
  }

const name = shown(200, showsName)
const description = shown(2000, showsSomething)

function among<const T extends string>(words: readonly T[], rule: string): Reader<T> {
  return (given) => {
    const value = words.find((word) => word === given)
    return value === undefined ? problem(given === undefined ? 'is required' : rule) : { value }
  }
}

const HTTPS = /^https:\/\/[^\s\\/?#\p{Cc}\p{Cf}][^\s\\\p{Cc}\p{Cf}]*$/iu

const httpsUrl: Reader<string> = (given) => {
  if (typeof given !== 'string' || given.length > 2048 || !HTTPS.test(given) || !URL.canParse(given)) {
    return problem('must be a URL that starts with https://, of at most 2048 characters')
  }
  const { username, password } = new URL(given)
  return username === '' && password === '' ? { value: given } : problem('must not carry a user name or a password')
}

const imageUrls: Reader<string[]> = (given) => {
  if (!Array.isArray(given) || given.length > MAX_IMAGES) return problem(`must be a list of at most ${MAX_IMAGES}`)
  for (const url of given) {
    const read = httpsUrl(url)
    if ('problem' in read) return problem(`each ${read.problem}`)
  }
  return { value: given }
}

const AMOUNT = new RegExp(AMOUNT_PATTERN)

const price: Reader<bigint> = (given) => {
  if (given === undefined) return problem('is required')
  if (typeof given !== 'string' || !AMOUNT.test(given)) return problem('must be a decimal string such as "12.50"')
  const value = minorFromAmount(given)
  return isPossiblePrice(value) ? { value } : problem('must be from 0.01 to 999999999.99')
}

const inventory: Reader<number> = (given) =>
  Number.isInteger(given) && Number(given) >= 0 && Number(given) <= MAX_INVENTORY
    ? { value: Number(given) }
    : problem(`must be a whole number from 0 to ${MAX_INVENTORY}`)

const category = among(STORE_CATEGORY_CODES, 'is none of the category codes')

const STORE_FIELDS = {
  id: text(200),
  name,
  category,
  currency: among(CURRENCIES, 'is none of the supported currencies'),
  description: optional(description, ''),
  logo_url: optional(httpsUrl, null),
}
const PRODUCT_FIELDS = {
  merchant: text(200),
  id: text(200),
  name,
  category,
  price,
  inventory: optional(inventory, null),
  description: optional(description, ''),
  image_urls: optional(imageUrls, [] as string[]),
}

/** What is read of a file, line by line, and what is wrong with it. */
export class CatalogReader {
  readonly #stores = new Map<string, CatalogStore & { line: number }>()
  readonly #entries = new Map<string, CatalogEntry & { line: number }>()
  readonly #problems: ErrorDetails = {}
  #lines = 0

  /** Reading on is of no use. */
  get isFull(): boolean {
    return Object.keys(this.#problems).length >= MAX_PROBLEMS
  }

  add(line: CatalogLine): void {
    const { number } = line
    this.#lines += 1
    if ('problems' in line) {
      for (const [field, words] of Object.entries(line.problems)) this.note(number, field, words)
      return
    }
    const { type, ...fields } = Object(line.value) as Record<string, unknown>
    if (this.#lines > MAX_LINES) this.note(number, '', `the file has more than ${MAX_LINES} lines`)
    else if (type === 'merchant') this.#addStore(number, fields)
    else if (type === 'product') this.#addEntry(number, fields)
    else this.note(number, 'type', 'must be "merchant" or "product"')
  }

  note(line: number, field: string, words: string): void {
    if (!this.isFull) this.#problems[field === '' ? `line ${line}:` : `line ${line}: ${field}`] = words
  }

  /** All of it, or what is wrong with it. */
  end(source: CatalogSource): { catalog: Catalog } | { problems: ErrorDetails } {
    // A merchant whose line is wrong is none: its products would all be wrong as well.
    const isRead = Object.keys(this.#problems).length === 0
    for (const entry of isRead ? this.#entries.values() : []) {
      const store = this.#stores.get(entry.store)
      const fraction = store === undefined ? null : fractionProblem(entry.priceMinor, store.currency)
      if (store === undefined) this.note(entry.line, 'merchant', 'is the id of no merchant in this file')
      if (fraction !== null) this.note(entry.line, 'price', fraction)
    }
    if (isRead && this.#stores.size === 0) this.note(1, '', 'the file has no merchants')
    if (Object.keys(this.#problems).length > 0) return { problems: this.#problems }
    const [stores, entries] = [withoutLines(this.#stores.values()), withoutLines(this.#entries.values())]
    return { catalog: { source, stores, entries } }
  }

  #addStore(line: number, fields: Record<string, unknown>): void {
    const read = this.#read(line, fields, STORE_FIELDS)
    if (read === undefined) return
    const { id: key, logo_url: logoUrl, ...rest } = read
    this.#addOnce(this.#stores, key, { key, logoUrl, ...rest, line })
  }

  #addEntry(line: number, fields: Record<string, unknown>): void {
    const read = this.#read(line, fields, PRODUCT_FIELDS)
    if (read === undefined) return
    const { id: key, merchant: store, price: priceMinor, image_urls: urls, ...rest } = read
    this.#addOnce(this.#entries, JSON.stringify([store, key]), {
      key,
      store,
      priceMinor,
      imageUrls: urls,
      ...rest,
      line,
    })
  }

  #addOnce<T extends { line: number }>(seen: Map<string, T>, key: string, item: T): void {
    const before = seen.get(key)
    if (before === undefined) seen.set(key, item)
    else this.note(item.line, 'id', `is the same as in line ${before.line}`)
  }

  #read<R extends Readers>(line: number, fields: Record<string, unknown>, readers: R): Read<R> | undefined {
    const values: Record<string, unknown> = {}
    let isWhole = true
    for (const name of new Set([...Object.keys(readers), ...Object.keys(fields)])) {
      const read = Object.hasOwn(readers, name) ? readers[name]?.(fields[name]) : undefined
      if (read !== undefined && 'value' in read) values[name] = read.value
      else {
        isWhole = false
        this.note(line, name.slice(0, 100), read?.problem ?? 'is not a known field')
      }
    }
    return isWhole ? (values as Read<R>) : undefined
  }
}

function withoutLines<T extends { line: number }>(items: Iterable<T>): Omit<T, 'line'>[] {
  return Array.from(items, ({ line: _, ...item }) => item)
}

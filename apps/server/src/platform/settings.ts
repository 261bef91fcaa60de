import { resolve } from 'node:path'
import { parseAddress } from './egress/addresses.ts'
import { type Secret, secret } from './secret.ts'

/** What a default or a rule of a setting may depend on. It is read first. */
export interface Circumstances {
  production: boolean
  port: number
}

/** One environment variable: how it is read, and everything the reference page says about it. */
export interface Setting<T> {
  variable: string
  /** For the reference page: what it decides, and what is worth knowing before it is changed. */
  meaning: string
  /** What a value must be or do: completes "PORT must …". Undefined: any text. */
  rule: string | undefined
  /** The default as an operator would write it; null when there is none. */
  defaultText(circumstances: Circumstances): string | null
  /** `required`: production does not start without it. */
  production: 'required' | 'optional'
  /** The value. `problem` notes what is wrong with a text; the default stands in for it, for the checks across rows. */
  read(text: string | undefined, circumstances: Circumstances, problem: (words: string) => void): T
}

export type Settings = Record<string, Setting<unknown>>

/** The values of a table of settings. */
export type Read<S extends Settings> = { [K in keyof S]: S[K] extends Setting<infer T> ? T : never }

type Given = string | number | ((circumstances: Circumstances) => string)
/** Instead of a default: the value of a setting that may be absent. */
type Absent = null | false

/** The columns that every kind of setting has. */
interface Row<D extends Given | Absent = Given> {
  meaning: string
  default: D
  production?: 'required'
}

export type Env = Readonly<Record<string, string | undefined>>

/** Reads a table. All problems are collected, one line each, so that the operator can fix them in one step. */
export function readSettings<S extends Settings>(
  settings: S,
  env: Env,
  circumstances: Circumstances,
): { values: Read<S>; problems: string[] } {
  const problems: string[] = []
  const entries = Object.entries(settings).map(([key, setting]) => {
    const text = textOf(env, setting.variable)
    if (text === undefined && circumstances.production && setting.production === 'required') {
      problems.push(`${setting.variable} is required in production`)
    }
    const value = setting.read(text, circumstances, (words) => problems.push(`${setting.variable} ${words}`))
    return [key, value] as const
  })
  return { values: Object.fromEntries(entries) as Read<S>, problems }
}

/** `NAME=` in an env file means the same as no line, for every name. */
function textOf(env: Env, name: string): string | undefined {
  const text = env[name]
  return text?.trim() === '' ? undefined : text
}

type Parse<T> = (text: string, circumstances: Circumstances, problem: (words: string) => void) => T

/** Builds a setting of a kind. A default is parsed like a text of the environment, and has no problems. */
function setting<T, D extends Given | Absent>(
  variable: string,
  { meaning, default: fallback, production }: Row<D>,
  rule: string | undefined,
  parse: Parse<T>,
): Setting<T | Extract<D, Absent>> {
  const absent = (fallback === false ? false : null) as Extract<D, Absent>
  const defaultText = (circumstances: Circumstances): string | null => {
    if (fallback === null || fallback === false) return null
    return typeof fallback === 'function' ? fallback(circumstances) : String(fallback)
  }
  return {
    variable,
    meaning,
    rule,
    production: production ?? 'optional',
    defaultText,
    read: (text, circumstances, problem) => {
      const problems: string[] = []
      const value = text === undefined ? undefined : parse(text, circumstances, (words) => problems.push(words))
      for (const words of problems) problem(words)
      if (value !== undefined && problems.length === 0) return value
      const given = defaultText(circumstances)
      return given === null ? absent : parse(given, circumstances, () => undefined)
    },
  }
}

export function text(variable: string, row: Row): Setting<string> {
  return setting(variable, row, undefined, (value) => value)
}

/** A path, made absolute against the working directory of the start. */
export function path<D extends Given | Absent>(variable: string, row: Row<D>): Setting<string | Extract<D, Absent>> {
  return setting(variable, row, undefined, (value) => resolve(value))
}

export function integer<D extends Given | Absent>(
  variable: string,
  row: Row<D> & { min: number; max: number },
): Setting<number | Extract<D, Absent>> {
  const rule = `be a whole number from ${row.min} to ${row.max}`
  return setting(variable, row, rule, (value, _circumstances, problem) => {
    const number = Number(value)
    if (!Number.isInteger(number) || number < row.min || number > row.max) problem(`must ${rule}`)
    return number
  })
}

export function oneOf<const T extends string>(variable: string, values: readonly [T, ...T[]], row: Row): Setting<T> {
  const rule = `be ${values.join(' or ')}`
  return setting(variable, row, rule, (value, _circumstances, problem) => {
    const found = values.find((candidate) => candidate === value)
    if (found === undefined) problem(`must ${rule}`)
    return found ?? values[0]
  })
}

/** Off unless it is turned on, which production refuses. */
export function sandboxSwitch(variable: string, row: Omit<Row, 'default'>): Setting<boolean> {
  const rule = 'be on or off, and never on in production'
  return setting<boolean, 'off'>(variable, { ...row, default: 'off' }, rule, (value, { production }, problem) => {
    if (value !== 'on' && value !== 'off') problem('must be on or off')
    if (value === 'on' && production) problem('must not be on in production')
    return value === 'on'
  })
}

/** A text of a certain form; `rule` puts the pattern into words. */
export function matching<D extends Given | Absent>(
  variable: string,
  row: Row<D> & { pattern: RegExp; rule: string },
): Setting<string | Extract<D, Absent>> {
  return setting(variable, row, row.rule, (value, _circumstances, problem) => {
    if (!row.pattern.test(value)) problem(`must ${row.rule}`)
    return value
  })
}

/** A text of a certain form that must not be shown. */
export function secretMatching<D extends Absent>(
  variable: string,
  row: Row<D> & { pattern: RegExp; rule: string },
): Setting<Secret | Extract<D, Absent>> {
  return setting(variable, row, row.rule, (value, _circumstances, problem) => {
    if (!row.pattern.test(value)) problem(`must ${row.rule}`)
    return secret(value)
  })
}

/** IP addresses and networks (`10.0.0.0/8`), separated by commas. */
export function networks<D extends Given | Absent>(
  variable: string,
  row: Row<D>,
): Setting<string[] | Extract<D, Absent>> {
  const rule = 'be IP addresses or networks such as 10.0.0.0/8, separated by commas'
  return setting(variable, row, rule, (value, _circumstances, problem) => {
    const parts = value.split(',').map((part) => part.trim())
    if (!parts.every(isNetwork)) problem(`must ${rule}`)
    return parts
  })
}

/** All addresses of the fourth version, as they are written in the sixth: `::ffff:0:0/96`. */
const ALL_OF_IPV4 = 0xffffn << 32n

/**
 * A number alone is no address: an operator who writes one means a count of proxies. The network of all addresses names no proxy, nor does
 * one that has all of the fourth version in it.
 */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const parsed = parseAddress(address)
  if (parsed === undefined || rest.length > 0) return false
  if (bits === undefined) return true
  if (!/^[1-9]\d{0,2}$/.test(bits) || Number(bits) > (parsed.version === 4 ? 32 : 128)) return false
  if (parsed.version === 4 || Number(bits) > 96) return true
  return (parsed.value ^ ALL_OF_IPV4) >> BigInt(128 - Number(bits)) !== 0n
}

/** Scheme, host and perhaps a port, in the spelling browsers use. Production accepts https only. */
export function origin(variable: string, row: Row): Setting<string> {
  const rule = 'be an origin such as https://pay.example.com, without a path'
  return setting(variable, row, rule, (value, { production }, problem) => {
    const url = URL.canParse(value) ? new URL(value) : null
    if (url === null || url.origin === 'null' || url.href !== `${url.origin}/`) problem(`must ${rule}`)
    else if (production && url.protocol !== 'https:') problem('must start with https:// in production')
    return url?.origin ?? value
  })
}

/** The same of a host that there need not be. */
export function optionalOrigin(
  variable: string,
  { default: given, ...row }: Omit<Row, 'default'> & { default: (circumstances: Circumstances) => string | null },
): Setting<string | null> {
  const needed = origin(variable, { ...row, default: (circumstances) => given(circumstances) ?? '' })
  const read: Setting<string | null>['read'] = (text, circumstances, problem) =>
    text === undefined && given(circumstances) === null ? null : needed.read(text, circumstances, problem)
  return { ...needed, defaultText: given, read }
}

import { type DestinationStream, pino } from 'pino'
import { PublicError } from './errors.ts'
import { scrub } from './log-scrub.ts'

/**
 * Everything a log line may contain besides its constant message. A field that is not listed here cannot be logged. Never
 * add one that can hold a card number, credential, key, email, address or free text of a caller.
 */
const FIELDS = {
  response_id: 'string',
  route: 'string',
  method: 'string',
  status: 'number',
  duration_ms: 'number',
  host: 'string',
  port: 'number',
  merchant_id: 'string',
  session_id: 'string',
  customer_id: 'string',
  charge_id: 'string',
  mandate_id: 'string',
  card_id: 'string',
  /** One of `ALARMS`, and what must be traceable: names of fixed sets. */
  alarm: 'string',
  audit: 'string',
  actor: 'string',
  table: 'string',
  row_id: 'string',
  event_id: 'string',
  endpoint_id: 'string',
  delivery_id: 'string',
  mail_id: 'string',
  /** The path of a file that the program wrote, below its home. */
  path: 'string',
  job: 'string',
  attempt: 'number',
  count: 'number',
  sql_state: 'string',
  cause: 'string',
} as const satisfies Record<string, 'string' | 'number'>

type FieldName = keyof typeof FIELDS

/** What an operator must look at. Each is explained in docs/guides/self-hosting.md, which a test compares. */
export const ALARMS = [
  'row_tampered',
  'seal_broken',
  'key_unavailable',
  'passkey_flagged',
  'shop_key_unusable',
  'purchase_needs_human',
  'purchase_unknown',
  'revoked_credential_used',
  'lapsed_credential_used',
  'work_stuck',
  'event_parked',
  'mail_not_sent',
  'row_contradicts',
] as const
type Alarm = (typeof ALARMS)[number]

export type LogFields = {
  [Name in Exclude<FieldName, 'alarm'>]?: ((typeof FIELDS)[Name] extends 'number' ? number : string) | undefined
} & { alarm?: Alarm | undefined }

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** `message` is a constant of the program. Values go into fields. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** An unexpected error: its class, code and stack frames. Its message only for a `PublicError`. */
  failure(message: string, error: unknown, fields?: LogFields): void
  /** False when a line of this level would be discarded, so that the caller need not collect its fields. */
  enabled(level: Exclude<LogLevel, 'silent'>): boolean
}

export interface LogOptions {
  level: LogLevel
  /** Standard output unless given. */
  destination?: DestinationStream
}

const MAX_VALUE_LENGTH = 200
const MAX_FRAMES = 12
/** A random UUID may contain digits that look like a card number; a value of exactly this form is not one. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const ERROR_CODE = /^[A-Z][A-Z0-9_]{1,60}$/
const SQL_STATE = /^[0-9A-Z]{5}$/
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/
/** `    at name (file:///path/file.ts:1:2)`, with nothing but these parts. */
const FRAME = /^ {4}at (?:(async )?([\w$.<>[\] ]{1,80}) \()?(?:file:\/\/)?((?:\/|node:)[^\s()]{1,300}):(\d+):\d+\)?$/
const PROJECT_ROOT = new URL('../../../../', import.meta.url).pathname

/** The program's log: one JSON object per line. */
export function createLog({ level, destination }: LogOptions): Log {
  const options = {
    level,
    base: null,
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const sink = destination === undefined ? pino(options) : pino(options, destination)
  // What an operator must look at, or be able to trace, is written whatever the level, unless nothing is.
  const always = level === 'silent' ? sink : sink.child({}, { level: 'debug' })
  const write = (at: Exclude<LogLevel, 'silent'>, message: string, fields: object = {}) => {
    const lines = 'alarm' in fields || 'audit' in fields ? always : sink
    if (lines.isLevelEnabled(at)) lines[at](fields, bounded(message))
  }
  return Object.freeze({
    debug: (message: string, fields?: LogFields) => write('debug', message, allowed(fields)),
    info: (message: string, fields?: LogFields) => write('info', message, allowed(fields)),
    warn: (message: string, fields?: LogFields) => write('warn', message, allowed(fields)),
    error: (message: string, fields?: LogFields) => write('error', message, allowed(fields)),
    failure: (message: string, error: unknown, fields?: LogFields) =>
      write('error', message, { ...allowed(fields), ...describeError(error) }),
    enabled: (at: Exclude<LogLevel, 'silent'>) => sink.isLevelEnabled(at),
  })
}

/** A cast or a JSON value can evade the types, so the allow-list is applied again at run time. */
function allowed(fields: LogFields | undefined): Record<string, string | number> {
  const kept: Record<string, string | number> = {}
  if (fields === undefined) return kept
  for (const name of Object.keys(fields)) {
    if (!isField(name)) continue
    const value: unknown = fields[name]
    if (typeof value !== FIELDS[name]) continue
    if (typeof value === 'string') kept[name] = bounded(value)
    else if (typeof value === 'number' && !looksLikeCard(value)) kept[name] = value
  }
  return kept
}

function isField(name: string): name is FieldName {
  return Object.hasOwn(FIELDS, name)
}

function looksLikeCard(value: number): boolean {
  return Math.abs(value) >= 1e12 && scrub(String(value)) !== String(value)
}

function bounded(text: string): string {
  return UUID.test(text) ? text : scrub(text).slice(0, MAX_VALUE_LENGTH)
}

/**
 * A driver's or a library's error message, detail and parameters may quote a card number, a key or a row. Only the class,
 * codes of a known form and the frames of the stack are kept.
 */
function describeError(error: unknown): Record<string, string | readonly string[]> {
  if (!(error instanceof Error)) return { error_name: `thrown ${typeof error}` }
  const description: Record<string, string | readonly string[]> = { error_name: className(error), ...errorCodes(error) }
  if (error instanceof PublicError) description.error_message = bounded(error.message)
  if (error.cause instanceof Error) {
    const cause = errorCodes(error.cause)
    description.cause = [className(error.cause), ...Object.values(cause)].join(' ')
    description.cause_frames = frames(error.cause)
  }
  description.frames = frames(error)
  return description
}

/** The constructor's name is source text; `error.name` can be set to any value. */
function className(error: Error): string {
  const { name } = error.constructor
  return IDENTIFIER.test(name) ? name : 'Error'
}

function errorCodes(error: Error): Record<string, string> {
  const codes: Record<string, string> = {}
  if ('code' in error && typeof error.code === 'string') {
    if (SQL_STATE.test(error.code)) codes.sql_state = error.code
    else if (ERROR_CODE.test(error.code)) codes.error_code = bounded(error.code)
  }
  if ('constraint' in error && typeof error.constraint === 'string' && IDENTIFIER.test(error.constraint)) {
    codes.constraint = bounded(error.constraint)
  }
  return codes
}

/** `file:line function` per frame. Lines of the message are skipped, also those that look like frames. */
function frames(error: Error): readonly string[] {
  const lines = (typeof error.stack === 'string' ? error.stack : '').split('\n')
  const found: string[] = []
  for (const line of lines.slice(String(error.message).split('\n').length)) {
    const match = FRAME.exec(line)
    if (match === null) continue
    const [, , name = '', file = '', row = ''] = match
    found.push(bounded(`${file.replace(PROJECT_ROOT, '')}:${row} ${name}`.trimEnd()))
    if (found.length === MAX_FRAMES) break
  }
  return found
}

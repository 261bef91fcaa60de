import type { Limit, LimitName } from './http/rate-limit.ts'
import { type Circumstances, type Env, integer, readSettings, type Setting } from './platform/settings.ts'

/** A limit with its explanation. Its points can be set by a variable of its own; its window is fixed. */
export interface LimitRow {
  points: number
  /** Where the sandbox differs. */
  sandboxPoints?: number
  windowSeconds: number
  /** What is counted, and by what. */
  counts: string
  by: string
}

export const LIMITS: Record<LimitName, LimitRow> = {
  merchant: { points: 30_000, windowSeconds: 60, counts: 'Calls to the main API.', by: 'merchant' },
  launch: {
    points: 600,
    windowSeconds: 60,
    counts: 'Tries to trade a launch secret. Refused when the counter cannot be read.',
    by: 'client address',
  },
  surface: { points: 600, windowSeconds: 60, counts: "Calls of the cardholder's page.", by: 'session' },
  surface_secret_entry: {
    points: 20,
    windowSeconds: 900,
    counts: 'Card entries and verification codes. Refused when the counter cannot be read.',
    by: 'session',
  },
  document: {
    points: 600,
    windowSeconds: 60,
    counts: "The API reference, its description, and loads of the cardholder's page.",
    by: 'client address',
  },
  failed_authentication: {
    points: 300,
    // A sandbox protects nothing worth guessing, and test suites are refused often on purpose.
    sandboxPoints: 5000,
    windowSeconds: 60,
    counts: 'Refused credentials.',
    by: 'client address',
  },
}

const NAMES = Object.keys(LIMITS) as LimitName[]

/** The variable of each limit. */
export const LIMIT_SETTINGS = Object.fromEntries(
  NAMES.map((name) => [name, limitSetting(name, LIMITS[name])]),
) as Record<LimitName, Setting<number>>

function limitSetting(name: LimitName, { points, sandboxPoints = points, counts }: LimitRow): Setting<number> {
  return integer(`RATE_LIMIT_${name.toUpperCase()}`, {
    default: ({ production }) => String(production ? points : sandboxPoints),
    min: 1,
    max: 100_000_000,
    meaning: counts,
  })
}

export function readLimits(
  env: Env,
  circumstances: Circumstances,
): { limits: Record<LimitName, Limit>; problems: string[] } {
  const { values, problems } = readSettings(LIMIT_SETTINGS, env, circumstances)
  const entries = NAMES.map((name) => [name, { points: values[name], windowSeconds: LIMITS[name].windowSeconds }])
  return { limits: Object.fromEntries(entries) as Record<LimitName, Limit>, problems }
}

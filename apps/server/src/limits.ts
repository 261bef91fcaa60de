import type { Limit, LimitName } from './http/rate-limit.ts'

/** A rate limit and its explanation. Its points are a setting; its window is fixed. */
export interface LimitRow {
  name: LimitName
  points: number
  /** Default number of points in the sandbox, where it differs. */
  sandboxPoints?: number
  windowSeconds: number
  meaning: string
  countedBy: string
}

export const LIMITS: readonly LimitRow[] = [
  { name: 'merchant', points: 30_000, windowSeconds: 60, meaning: 'Calls to the main API.', countedBy: 'merchant' },
  {
    name: 'launch',
    points: 600,
    windowSeconds: 60,
    meaning: 'Tries to trade a launch secret. Refused when the counter cannot be read.',
    countedBy: 'client address',
  },
  {
    name: 'surface',
    points: 600,
    windowSeconds: 60,
    meaning: "Calls of the cardholder's page.",
    countedBy: 'session',
  },
  {
    name: 'surface_secret_entry',
    points: 20,
    windowSeconds: 900,
    meaning: 'Card entries and verification codes. Refused when the counter cannot be read.',
    countedBy: 'session',
  },
  {
    name: 'document',
    points: 600,
    windowSeconds: 60,
    meaning: "The API reference, its description, and loads of the cardholder's page.",
    countedBy: 'client address',
  },
  {
    name: 'failed_authentication',
    points: 300,
    // A sandbox protects nothing worth guessing, and test suites are refused often on purpose.
    sandboxPoints: 5000,
    windowSeconds: 60,
    meaning: 'Refused credentials.',
    countedBy: 'client address',
  },
]

/** The limits with the points that the configuration gives them. */
export function withPoints(points: Readonly<Record<string, number>>): Record<LimitName, Limit> {
  const entries = LIMITS.map(({ name, windowSeconds }) => [name, { points: points[name], windowSeconds }])
  return Object.fromEntries(entries) as Record<LimitName, Limit>
}

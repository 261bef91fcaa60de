import { relative } from 'node:path'
import { type Config, ConfigError, readConfig } from '../../apps/server/src/config.ts'
import type { LimitName } from '../../apps/server/src/http/rate-limit.ts'
import { LIMIT_TEXTS, SETTINGS } from './config-texts.ts'
import { code, type Page, page, table } from './markdown.ts'

type Env = Record<string, string>

/** docs/reference/configuration.md: every variable that is read, as the reader of the configuration treats it. */
export function configurationPage(): Page {
  const defaults = readConfig({})
  const needed = problemsOf({ MINTMARK_ENVIRONMENT: 'production' })
  const keys = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]
  return page('docs/reference/configuration.md', 'apps/server/src/config.ts', [
    '# Configuration',
    INTRODUCTION,
    table(
      ['Variable', 'Default', 'Accepts', 'In production', 'Meaning'],
      keys.map((key) => {
        const { variable, meaning } = SETTINGS[key]
        const required = needed.some((problem) => problem.startsWith(`${variable} `))
        return [code(variable), defaultOf(defaults, key), accepts(variable), required ? 'required' : '', meaning]
      }),
    ),
    '## Rate limits',
    LIMITS_NOTE,
    table(
      ['Variable', 'Default', 'Window', 'Counts', 'Counted by'],
      (Object.keys(defaults.limits) as LimitName[]).map((name) => {
        const { points, windowSeconds } = defaults.limits[name]
        const { counts, by } = LIMIT_TEXTS[name]
        return [code(limitVariable(name)), String(points), `${windowSeconds} s`, counts, by]
      }),
    ),
  ])
}

const INTRODUCTION = `The environment is read once, at the start. Everything wrong with it is reported at once, and the program
ends. Origins have a scheme, a host and perhaps a port, and no path; in production they begin with \`https://\`.`

const LIMITS_NOTE = `The windows are fixed; the numbers can be set. A limit holds over all nodes together. A refused call answers 429
\`RATE_LIMITED\` with \`Retry-After\`, \`RateLimit\` and \`RateLimit-Policy\`.`

export function limitVariable(name: LimitName): string {
  return `RATE_LIMIT_${name.toUpperCase()}`
}

/** The names of every variable the reader asks for, found by watching it. */
export function variablesRead(): string[] {
  const asked = new Set<string>()
  const env = new Proxy({} as Record<string, string | undefined>, {
    get: (_target, name) => {
      asked.add(String(name))
      return undefined
    },
  })
  readConfig(env)
  return [...asked].sort()
}

/** What the reader says about a value that nothing accepts; a variable of free text says nothing. */
function accepts(variable: string): string {
  const own = problemsOf({ [variable]: '?' }).find((problem) => problem.startsWith(`${variable} must `))
  return own === undefined
    ? 'text'
    : own.slice(`${variable} must `.length).replace(/^(?:be|start with) /, (words) => (words === 'be ' ? '' : words))
}

function problemsOf(env: Env): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.split('\n  ').slice(1)
  }
}

function defaultOf(defaults: Config, key: keyof typeof SETTINGS): string {
  const value = defaults[key]
  if (key === 'home') return code(relative(process.cwd(), defaults.home))
  if (value === null || value === false) return 'none'
  return code(String(value))
}

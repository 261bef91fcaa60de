import { LIMIT_SETTINGS, SETTINGS } from '../../apps/server/src/config.ts'
import { LIMITS } from '../../apps/server/src/hosts/limits.ts'
import type { Setting } from '../../apps/server/src/platform/settings.ts'
import { code, type Page, page, table } from './markdown.ts'

const PORT = Number(SETTINGS.port.defaultText({ production: false, port: 0 }))

/** docs/reference/configuration.md: the tables of settings and of limits. */
export function configurationPage(): Page {
  return page('docs/reference/configuration.md', 'apps/server/src/config.ts', [
    '# Configuration',
    INTRODUCTION,
    table(
      ['Variable', 'Default', 'Must', 'In production', 'Meaning'],
      Object.values(SETTINGS).map((setting) => [
        code(setting.variable),
        defaultOf(setting),
        setting.rule ?? '',
        setting.production === 'required' ? 'required' : '',
        setting.meaning,
      ]),
    ),
    '## Rate limits',
    LIMITS_NOTE,
    table(
      ['Variable', 'Default', 'Window', 'Counts', 'Counted by'],
      LIMITS.flatMap(({ name, windowSeconds, meaning, countedBy }) => {
        const setting = LIMIT_SETTINGS[name]
        return setting ? [[code(setting.variable), defaultOf(setting), `${windowSeconds} s`, meaning, countedBy]] : []
      }),
    ),
  ])
}

const INTRODUCTION = `The environment is read once, at the start. All problems with it are reported together, and the program
ends. Origins have a scheme, a host and perhaps a port, and no path; in production they begin with \`https://\`.`

const LIMITS_NOTE = `The windows are fixed; the numbers can be set. A limit holds over all nodes together. A refused call gets a 429
\`RATE_LIMITED\` with \`Retry-After\`, \`RateLimit\` and \`RateLimit-Policy\`.`

/** The default, and that of production where it is another. */
function defaultOf(setting: Setting<unknown>): string {
  const [sandbox, production] = [false, true].map((inProduction) =>
    setting.defaultText({ production: inProduction, port: PORT }),
  )
  const shown = (text: string | null | undefined) => (text == null ? 'none' : code(text))
  return sandbox === production ? shown(sandbox) : `${shown(sandbox)}, in production ${shown(production)}`
}

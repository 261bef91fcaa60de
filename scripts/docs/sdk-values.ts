import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EVENT_TYPES } from '@mintmark/contract'
import type { Page } from './markdown.ts'
import { sdkRoutes } from './routes.ts'

/**
 * What the SDK reads at run time: small, without a field or a shape. It is committed, because the service itself loads the SDK with the
 * commands of developers, and must start where no install script has made the types.
 */
export function sdkValues(): Page[] {
  return [operations(), eventNames()]
}

/** packages/node/src/operations.ts: the method and path of each operation. So the SDK spells no path a second time. */
function operations(): Page {
  const calls = sdkRoutes().map(({ operationId, method, path, idempotencyKey }) => {
    const takesKey = idempotencyKey === undefined ? '' : ', takesKey: true'
    return `${operationId}: { method: '${method}', path: '${path}'${takesKey} },`
  })
  return formatted('packages/node/src/operations.ts', [
    '// Generated from the routes of the main API. Change the source, then run: npm run docs',
    `import type { OperationId } from './api-types.ts'`,
    '/** How an operation is called. */\nexport interface OperationRow {\nmethod: string\npath: string\n/** It takes an `Idempotency-Key`. */\ntakesKey?: true\n}',
    `export const OPERATIONS: Readonly<Record<OperationId, OperationRow>> = {\n${calls.join('\n')}\n}`,
  ])
}

/** packages/node/src/event-names.ts: the kinds of events by name. */
function eventNames(): Page {
  const names = EVENT_TYPES.map((type) => `'${type}',`)
  return formatted('packages/node/src/event-names.ts', [
    '// Generated from packages/contract/src/events.ts. Change the source, then run: npm run docs',
    `import type { EventType } from './event-types.ts'`,
    `/** Every kind that this version knows. */\nexport const EVENT_TYPES = [\n${names.join('\n')}\n] as const satisfies readonly EventType[]`,
  ])
}

const ROOT = join(import.meta.dirname, '../..')
const BIOME = fileURLToPath(import.meta.resolve('@biomejs/biome/bin/biome'))

/** As the linter wants what is committed. */
function formatted(path: string, parts: readonly string[]): Page {
  const words = [BIOME, 'format', `--stdin-file-path=${path}`]
  const input = parts.join('\n\n')
  return { path, text: execFileSync(process.execPath, words, { input, cwd: ROOT, encoding: 'utf8' }) }
}

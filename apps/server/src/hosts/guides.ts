import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import type { RateLimiter } from '../http/rate-limit.ts'
import { limitStep } from '../http/rate-limit-fields.ts'
import { perDocument } from './surface/credential.ts'

/** The project, of which only what the list names is served. */
const ROOT = new URL('../../../../', import.meta.url)
const LIST = 'llms.txt'

/** `/llms.txt`, for programs that read, and the pages it lists, at the paths that they have in the project: so links between them lead on. */
export function serveGuides({ limiter }: { limiter: RateLimiter }) {
  return async (app: FastifyInstance): Promise<void> => {
    const onRequest = limitStep(limiter, perDocument)
    const list = await read(LIST)
    for (const path of [LIST, ...listed(list)]) {
      const kind = path === LIST ? 'text/plain' : 'text/markdown'
      app.get(`/${path}`, { onRequest }, async (_request, reply) =>
        reply
          .type(`${kind}; charset=utf-8`)
          .header('cache-control', 'public, max-age=300')
          .send(await read(path)),
      )
    }
  }
}

/** The same for people, under headings of their own, beside the calls. */
export async function guidesForReaders(): Promise<string> {
  const list = await read(LIST)
  return `# Guides\n\n${list.slice(list.indexOf('\n## ') + 1)}`
}

function listed(list: string): Set<string> {
  return new Set([...list.matchAll(/\]\(([\w/-]+\.md)\)/g)].map(([, path = '']) => path))
}

function read(path: string): Promise<string> {
  return readFile(new URL(path, ROOT), 'utf8')
}

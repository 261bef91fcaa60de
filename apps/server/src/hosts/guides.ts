import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path/posix'
import type { FastifyInstance } from 'fastify'
import type { RateLimiter } from '../http/rate-limit.ts'
import { limitStep } from '../http/rate-limit-fields.ts'
import type { GuideGroup, GuidePage } from '../http/reference-document.ts'
import { perDocument } from './surface/credential.ts'

/** The project, of which only what the list names is served. */
const ROOT = new URL('../../../../', import.meta.url)
const LIST = 'llms.txt'

/**
 * `/llms.txt`, for programs that read, and the pages it lists, at the paths that they have in the project: so links
 * between them lead on.
 */
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

/** The same for people, under the headings of the list, beside the calls. */
export async function guidesForReaders(): Promise<GuideGroup[]> {
  const list = await read(LIST)
  const paths = listed(list)
  return Promise.all(
    [...list.matchAll(/^## (.+)\n([^#]+)/gm)].map(async ([, heading = '', lines = '']) => ({
      heading,
      pages: await Promise.all([...lines.matchAll(PAGE)].map(([, label, path]) => pageOf(path, label, paths))),
    })),
  )
}
const PAGE = /\[([^\]]+)\]\(([\w/-]+\.md)\)/g

async function pageOf(path = '', label = '', paths: ReadonlySet<string>): Promise<GuidePage> {
  const text = (await read(path))
    .replace(/^(?:<!--.*-->\s*)?# .*\n/, '')
    .replaceAll(/<picture>[\s\S]*?<\/picture>/g, '')
  return {
    id: idOf(path),
    label: label.charAt(0).toUpperCase() + label.slice(1),
    text: text.replaceAll(LINK, (all, image?: string, words?: string, to?: string) => {
      if (to === undefined || /^[a-z]+:/.test(to)) return all
      if (image === '!') return ''
      const target = to.startsWith('#') ? path : normalize(join(dirname(path), to.replace(/#.*/, '')))
      return paths.has(target) ? `[${words}](#tag/${idOf(target)})` : (words ?? '')
    }),
  }
}
/** Code as it is, or a link. */
const LINK = /```[\s\S]*?```|`[^`\n]*`|(!?)\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)/g

const idOf = (path: string) =>
  path
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase()
    .replaceAll('/', '-')

function listed(list: string): Set<string> {
  return new Set([...list.matchAll(/\]\(([\w/-]+\.md)\)/g)].map(([, path = '']) => path))
}

function read(path: string): Promise<string> {
  return readFile(new URL(path, ROOT), 'utf8')
}

import { isRecord, type JsonRecord } from '../platform/json.ts'

/** Pages to read beside the calls, under one heading. */
export interface GuideGroup {
  heading: string
  pages: readonly GuidePage[]
}

export interface GuidePage {
  /** Where links lead: `#tag/` and this. */
  id: string
  label: string
  /** Markdown without its first heading, which is `label`. */
  text: string
}

/**
 * The description of a host as its page shows it. Guides are tags without calls there, which generators would take for
 * empty groups, and formats are words: `/openapi.json` keeps to the standard.
 */
export function documentForReaders(document: JsonRecord, groups: readonly GuideGroup[]): JsonRecord {
  const calls = isTags(document.tags) ? document.tags : []
  const guides = groups.flatMap(({ pages }) => pages)
  return {
    ...inWords(document),
    ...(groups.length > 0 && {
      tags: [
        ...calls,
        ...guides.map(({ id, label, text }) => ({ name: id, 'x-displayName': label, description: text })),
      ],
      'x-tagGroups': [
        { name: 'Calls', tags: calls.map(({ name }) => name) },
        ...groups.map(({ heading, pages }) => ({ name: heading, tags: pages.map(({ id }) => id) })),
      ],
    }),
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  'idn-email': 'email address',
  uri: 'URL',
  'date-time': 'date and time',
  uuid: 'UUID',
}

function inWords(record: JsonRecord): JsonRecord {
  const of = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(of)
    return isRecord(value) ? inWords(value) : value
  }
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      name === 'format' && typeof value === 'string' ? (FORMATS[value] ?? value) : of(value),
    ]),
  )
}

function isTags(value: unknown): value is { name: string }[] {
  return Array.isArray(value)
}

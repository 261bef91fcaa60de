import type { Document } from './check-docs.ts'

// The records of decisions: each says its state below its title, and is named by those that it names there. The list
// has each of them once.

const FOLDER = 'docs/adr/'
const RECORD = /^docs\/adr\/\d{4}-[^/]+\.md$/
/** `# Title`, an empty line, and what is said of the decision itself, up to the next empty line. */
const BEGINNING = /^# (.+)\n\n((?:.+\n)+)/
const STATE = /^(Proposed|Accepted|Superseded by \[\d{4}\]\([^)]+\)), \d{4}-\d\d-\d\d\.(?:\s|$)/
const LINK = /\[\d{4}\]\((\d{4}-[^)#]+\.md)\)/g

/** A record as it is to be listed. */
interface Decision {
  path: string
  title: string
  /** Null: none of the three. */
  state: string | null
  /** The records that its beginning names. */
  named: string[]
}

function readDecision({ path, text }: Document): Decision {
  const [, title = '', head = ''] = BEGINNING.exec(text) ?? []
  const state = STATE.exec(head)?.[1] ?? null
  return { path, title, state, named: [...head.matchAll(LINK)].map(([, file = '']) => FOLDER + file) }
}

/** The problems of all records and of their list, each with the page that it is about. */
export function decisionProblems(documents: readonly Document[]): string[] {
  const decisions = documents.filter(({ path }) => RECORD.test(path)).map(readDecision)
  const list = documents.find(({ path }) => path === `${FOLDER}README.md`)?.text ?? ''
  return decisions.flatMap((decision) => [
    ...stateProblems(decision),
    ...oneWayLinks(decision, decisions),
    ...unlisted(decision, list),
  ])
}

function stateProblems({ path, state }: Decision): string[] {
  if (state !== null) return []
  return [`${path}: below its title is no "Proposed, 2026-11-21.", nor "Accepted", nor "Superseded by" with a link`]
}

/** A reader of either record has to learn of the other. */
function oneWayLinks({ path, named }: Decision, decisions: readonly Decision[]): string[] {
  return decisions
    .filter((other) => named.includes(other.path) && !other.named.includes(path))
    .map((other) => `${other.path}: below its title is no link to ${path}, which names it there`)
}

function unlisted({ path, title, state }: Decision, list: string): string[] {
  if (state === null) return []
  const file = path.slice(FOLDER.length)
  const said = state.replace(/^\w+/, (word) => `*${word.toLowerCase()}*`)
  const line = `- [${title}](${file}): ${said}`
  const own = list.split('\n').filter((each) => each.startsWith(`- [${file.slice(0, 4)}.`))
  return own.length === 1 && own[0] === line ? [] : [`${FOLDER}README.md: has not once, as the record says: ${line}`]
}

import type { AgentScope } from '@mintmark/contract/agents'
import type { Static, TObject, TSchema } from 'typebox'
import type { AgentService } from '../agents/service.ts'
import type { CardService } from '../cards/service.ts'
import type { QuoteService } from '../checkout/quotes/service.ts'
import type { MandateService } from '../mandates/service.ts'
import type { Clock } from '../platform/clock.ts'
import type { ErrorDetails } from '../platform/errors.ts'
import type { SessionService } from '../sessions/service.ts'
import type { ToolCaller } from './access.ts'

export interface ToolDeps {
  clock: Clock
  agents: AgentService
  sessions: SessionService
  cards: CardService
  mandates: MandateService
  quotes: QuoteService
}

/** What a tool answers; with `ask` it needs the owner, at a page. */
export interface ToolAnswer<Value = object> {
  value: Value
  ask?: {
    sessionId: string
    /** The page where the owner approves. */
    url: string
    /** What they will sign. */
    sentence: string
  }
}

/** Read, change and buy, as hints of the protocol: what a host may let a model do without asking a person. */
export const KINDS = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  change: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  end: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  ask: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  look: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  buy: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
} as const

interface ToolSpec<Input extends TSchema, Output extends TSchema> {
  name: string
  title: string
  description: string
  scope: AgentScope
  kind: keyof typeof KINDS
  input: Input
  output: Output
  /** What it makes only a key charges or reads: an agent without one is not offered it. */
  needsKey?: true
  /** What the schema cannot say. Takes any value. */
  check?: (input: unknown) => ErrorDetails
  run: (caller: ToolCaller, input: Static<Input>) => Promise<ToolAnswer<Static<Output>>>
}

/** A tool with its types erased, as the protocol sees it. */
export interface Tool extends Omit<ToolSpec<TObject, TSchema>, 'run'> {
  run: (caller: ToolCaller, input: never) => Promise<ToolAnswer>
}

export function tool<Input extends TObject, Output extends TSchema>(spec: ToolSpec<Input, Output>): Tool {
  return Object.freeze(spec)
}

import type { AgentScope } from '@mintmark/contract/agents'
import {
  type AuthInfo,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  fromJsonSchema,
  type InputRequiredResult,
  inputRequired,
  type McpServer,
  type ScopeChallenge,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { publicErrorFrom } from '../http/error-response.ts'
import { problemsOf } from '../http/judge.ts'
import { KINDS, type Tool, type ToolAnswer, type ToolCaller, type ToolService } from '../mcp/service.ts'
import { fieldErrors } from '../platform/errors.ts'
import { valueAt } from '../platform/json.ts'
import type { Log } from '../platform/log.ts'

interface ToolContext {
  tools: ToolService
  log: Log
  caller: ToolCaller
  era: 'legacy' | 'modern'
}

/** Arguments are judged by the tool itself, in the words of the API. */
const TAKE_ANY = { getValidator: () => (input: unknown) => ({ valid: true, data: input, errorMessage: undefined }) }

type Schema = Parameters<typeof fromJsonSchema>[0]
const SCHEMAS = new WeakMap<object, ReturnType<typeof fromJsonSchema>>()

function schemaOf({ input }: Tool) {
  const known = SCHEMAS.get(input)
  if (known !== undefined) return known
  // As it is sent: without what only this program reads of it.
  const plain = JSON.parse(JSON.stringify(input, (key, value) => (key === 'x-message' ? undefined : value))) as Schema
  const schema = fromJsonSchema(plain, TAKE_ANY as never)
  SCHEMAS.set(input, schema)
  return schema
}

/** All tools, for every caller and in one order; what a token does not allow is asked for when it is called. */
export function registerTools(server: McpServer, context: ToolContext): void {
  for (const tool of context.tools.tools) {
    const { name, title, description, kind, scope } = tool
    const annotations = { title, ...KINDS[kind] }
    server.registerTool(
      name,
      { title, description, annotations, inputSchema: schemaOf(tool), scopeChallenge: beyond(scope) },
      (input: unknown, ctx: ServerContext) => call(context, tool, input, ctx),
    )
  }
}

/** What a client has to ask for, beside what it has: a new token takes the place of this one. */
const beyond =
  (scope: AgentScope) =>
  ({ authInfo }: { authInfo?: AuthInfo }): ScopeChallenge | undefined => {
    const [first = scope, ...others] = authInfo?.scopes ?? []
    const has = [first, ...others]
    return authInfo?.scopes.includes(scope) === true
      ? undefined
      : { scopes: [first, ...others, ...missing(has, scope)] }
  }

const missing = (has: readonly string[], scope: string) => (has.includes(scope) ? [] : [scope])

/** A refusal is a result, with the code that the API has for it: a model reads it and goes on. */
async function call(
  context: ToolContext,
  tool: Tool,
  input: unknown,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { tools, caller, log } = context
  try {
    const state = ctx.mcpReq.requestState<{ sessionId: string }>()
    if (state !== undefined) return resultOf((await tools.resume(caller, state.sessionId)).value)
    const problems = { ...problemsOf(tool.input, input), ...tool.check?.(input) }
    if (Object.keys(problems).length > 0) throw fieldErrors(problems)
    return shown(context, await tool.run(caller, input as never), ctx)
  } catch (error) {
    const { code, message, details, status } = publicErrorFrom(error)
    if (status >= 500) log.failure('A tool failed.', error)
    return { ...resultOf({ error: { code, message, ...(details !== undefined && { details }) } }), isError: true }
  }
}

function resultOf(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
}

/**
 * What needs the owner is asked by their client, where it can open a page for them; else the address is in the result.
 */
function shown(
  { tools, caller, era }: ToolContext,
  { value, ask }: ToolAnswer,
  ctx: ServerContext,
): CallToolResult | InputRequiredResult {
  if (ask === undefined) return resultOf(value)
  const { sessionId, url, sentence: message } = ask
  if (era === 'modern' && opensPages(ctx)) {
    const requestState = tools.sealState(caller, sessionId)
    return inputRequired({ inputRequests: { approval: inputRequired.elicitUrl({ message, url }) }, requestState })
  }
  return resultOf({ ...value, approval_url: url, next: 'Give approval_url to your owner, then ask get_session.' })
}

function opensPages({ mcpReq: { envelope } }: ServerContext): boolean {
  const elicitation = valueAt(valueAt(envelope, CLIENT_CAPABILITIES_META_KEY), 'elicitation')
  return valueAt(elicitation, 'url') !== undefined
}

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
import { KINDS, RefusedOutput, type Tool, type ToolAnswer, type ToolCaller, type ToolService } from '../mcp/service.ts'
import { fieldErrors } from '../platform/errors.ts'
import { valueAt } from '../platform/json.ts'
import type { Log } from '../platform/log.ts'

interface ToolContext {
  tools: ToolService
  log: Log
  caller: ToolCaller
  era: 'legacy' | 'modern'
}

/** Whose answer it is that a client brings back. */
const holderOf = (caller: ToolCaller, { name }: Pick<Tool, 'name'>) => ({ ...caller, tool: name })

/** Arguments are judged by the tool itself, in the words of the API. */
const TAKE_ANY = { getValidator: () => (input: unknown) => ({ valid: true, data: input, errorMessage: undefined }) }

type Schema = Parameters<typeof fromJsonSchema>[0]
const SCHEMAS = new WeakMap<Tool, Record<'inputSchema' | 'outputSchema', ReturnType<typeof fromJsonSchema>>>()

/** As they are sent: without what only this program reads of them. */
function sent(schema: object, isLeftOut = (_key: string, _value: unknown) => false) {
  const plain = JSON.parse(
    JSON.stringify(schema, (key, value) => (isOurs(key, value) || isLeftOut(key, value) ? undefined : value)),
  ) as Schema
  return fromJsonSchema(plain, TAKE_ANY as never)
}

/** Names and examples help a client that fills something in. One that reads an answer has it. */
const isForWriters = (key: string, value: unknown) =>
  (key === 'title' && typeof value === 'string') || (key === 'examples' && Array.isArray(value))

const FORMATS_OF_ALL = ['date-time', 'email', 'uri']
const isOurs = (key: string, value: unknown) =>
  key === 'x-message' || (key === 'format' && typeof value === 'string' && !FORMATS_OF_ALL.includes(value))

/** Clients judge each structured answer by it, refusals too. Older ones take only a schema that says at its root that it is of an object. */
const outputOf = ({ output }: Tool) => ({ type: 'object', anyOf: [...alternatives(output), RefusedOutput] })
const alternatives = (output: object): object[] => ('anyOf' in output ? (output.anyOf as object[]) : [output])

function schemasOf(tool: Tool) {
  const known = SCHEMAS.get(tool)
  if (known !== undefined) return known
  const schemas = { inputSchema: sent(tool.input), outputSchema: sent(outputOf(tool), isForWriters) }
  SCHEMAS.set(tool, schemas)
  return schemas
}

/** All tools that the caller can see to an end, in one order; what a token does not allow is asked for when it is called. */
export function registerTools(server: McpServer, context: ToolContext): void {
  for (const tool of context.tools.offeredTo(context.caller)) {
    const { name, title, description, kind, scope } = tool
    const annotations = { title, ...KINDS[kind] }
    server.registerTool(
      name,
      { title, description, annotations, ...schemasOf(tool), scopeChallenge: beyond(scope) },
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
    return shown(context, tool, await tool.run(caller, input as never), ctx)
  } catch (error) {
    const { code, message, details, status } = publicErrorFrom(error)
    if (status >= 500) log.failure('A tool failed.', error)
    return { ...resultOf({ error: { code, message, ...(details !== undefined && { details }) } }), isError: true }
  }
}

function resultOf(value: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: { ...value } }
}

/** What needs the owner is asked by their client, where it can open a page for them; else the address is in the result. */
function shown(
  { tools, caller, era }: ToolContext,
  tool: Tool,
  { value, ask }: ToolAnswer,
  ctx: ServerContext,
): CallToolResult | InputRequiredResult {
  if (ask === undefined) return resultOf(value)
  const { sessionId, url, sentence: message } = ask
  if (era === 'modern' && opensPages(ctx)) {
    const requestState = tools.sealState(holderOf(caller, tool), sessionId)
    return inputRequired({ inputRequests: { approval: inputRequired.elicitUrl({ message, url }) }, requestState })
  }
  return resultOf(value)
}

function opensPages({ mcpReq: { envelope } }: ServerContext): boolean {
  const elicitation = valueAt(valueAt(envelope, CLIENT_CAPABILITIES_META_KEY), 'elicitation')
  return valueAt(elicitation, 'url') !== undefined
}

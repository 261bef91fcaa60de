import { bound } from '../platform/bound.ts'
import type { Secret } from '../platform/secret.ts'
import { callerOf, type ToolCaller } from './access.ts'
import { createAuthorization } from './authorization.ts'
import type { AuthorizationDeps } from './deps.ts'
import { openState, sealState } from './state.ts'
import type { Tool, ToolAnswer, ToolDeps } from './tool.ts'
import { toolsThatAsk } from './tools-that-ask.ts'
import { SessionInput, toolsThatRead } from './tools-that-read.ts'

export type { ToolCaller } from './access.ts'
export type { Authorization } from './authorization.ts'
export { type AuthorizationDeps, resourceOf } from './deps.ts'
export { requestAsTaken } from './leniency.ts'
export { RefusedOutput } from './outputs.ts'
export { KINDS, type Tool, type ToolAnswer } from './tool.ts'
export { OAUTH_ROUTES } from './wire.ts'

interface Deps extends AuthorizationDeps, ToolDeps {
  statesKey: Secret<Buffer>
}

/** What agents do by the tool protocol: their clients are let in by OAuth, and call tools, which are always in this order. */
export function createToolService(deps: Deps) {
  const tools: readonly Tool[] = [...toolsThatRead(deps), ...toolsThatAsk(deps)]
  const again = tools.find(({ input }) => input === SessionInput)
  if (again === undefined) throw new Error('No tool says how a session stands.')
  /** What a tool that has asked answers when its caller comes back: how it stands. */
  const resume = (caller: ToolCaller, sessionId: string): Promise<ToolAnswer> =>
    again.run(caller, { session_id: sessionId } as never)
  /** All that an agent can see to an end. */
  const offeredTo = ({ hasKey }: Pick<ToolCaller, 'hasKey'>) => tools.filter(({ needsKey }) => hasKey || !needsKey)
  return {
    offeredTo,
    resume,
    authorization: createAuthorization(deps),
    ...bound(deps, { callerOf, sealState, openState }),
  }
}
export type ToolService = ReturnType<typeof createToolService>

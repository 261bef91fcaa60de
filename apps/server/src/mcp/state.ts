import { randomBytes } from 'node:crypto'
import { addSeconds, type Clock } from '../platform/clock.ts'
import { openText, sealText } from '../platform/sealed-text.ts'
import type { Secret } from '../platform/secret.ts'
import type { ToolCaller } from './access.ts'
import { isFirst, textAt } from './entries.ts'

/** As long as the owner has to answer. */
const STATE_SECONDS = 15 * 60
const NONCE_BYTES = 16

type StateDeps = Parameters<typeof isFirst>[0] & { clock: Clock; statesKey: Secret<Buffer> }
type Holder = Pick<ToolCaller, 'merchantId' | 'agentId' | 'customerId'> & {
  /** By its name. */
  tool: string
}

/** It opens only for the agent, the owner and the tool that it was made for: no other tool uses it up. */
const placeOf = ({ merchantId, agentId, customerId, tool }: Holder) => [
  'tool-state',
  merchantId,
  agentId,
  customerId,
  tool,
]

/** What a client carries from a question to its owner to the next call: which one was asked. Sealed: no client can read or change it. */
export function sealState({ clock, statesKey }: StateDeps, caller: Holder, sessionId: string): string {
  const until = addSeconds(clock.now(), STATE_SECONDS)
  const nonce = randomBytes(NONCE_BYTES).toString('base64url')
  return sealText(statesKey, placeOf(caller), JSON.stringify({ sessionId, until: until.toISOString(), nonce }))
}

/** The session that was asked for, for the first who comes with it in time; undefined for everybody else. */
export async function openState(deps: StateDeps, caller: Holder, state: string): Promise<string | undefined> {
  const opened = opening(deps, caller, state)
  const [sessionId, until] = [textAt(opened, 'sessionId'), textAt(opened, 'until')]
  if (sessionId === undefined || until === undefined || new Date(until) <= deps.clock.now()) return undefined
  const entry = { kind: 'ToolState', id: state }
  const once = { agentId: caller.agentId, until: addSeconds(deps.clock.now(), 2 * STATE_SECONDS) }
  return (await isFirst(deps, entry, once)) ? sessionId : undefined
}

function opening({ statesKey }: StateDeps, caller: Holder, state: string): unknown {
  try {
    return JSON.parse(openText(statesKey, placeOf(caller), state))
  } catch {
    return undefined
  }
}

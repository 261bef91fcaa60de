import { changedBy, widenedBy } from '@mintmark/contract/limits'
import { readingOf, SENTENCE_VERSION, sentenceOf } from '@mintmark/contract/sentence'
import type { AgentLimits, LimitsTerms } from '@mintmark/contract/wire/agents'
import { single } from '../db/command.ts'
import type { CeremonyScope } from '../passkeys/service.ts'
import { canonicalJson, type JsonValue } from '../platform/canonical-json.ts'
import { fieldErrors, invalidState } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { claim, passkeyOf } from './ceremony.ts'
import { type AgentDeps, OWNER } from './deps.ts'
import { agentNotFound } from './errors.ts'
import { checkLimits } from './limits.ts'
import * as store from './limits-store.ts'
import { findOwned } from './owned.ts'
import { sealedAgent } from './seal.ts'
import type { OwnedAgent } from './store.ts'

// An owner gives a linked agent other limits. What allows more is signed with the passkey, as the link was; what allows less takes effect by
// the owner's word. Each names the version of the limits that its page has read.

interface OwnersAgent {
  agentId: string
  customerId: string
}

interface LimitsChange {
  version: number
  limits: AgentLimits
}

/** The statement of other limits, and the WebAuthn request whose challenge binds it. */
export async function limitsApproval(deps: AgentDeps, of: OwnersAgent, change: LimitsChange) {
  const found = await asRead(deps, of, change.version)
  checkChange(found, change.limits)
  const changeId = newId('limitsChange')
  const passkey = await passkeyOf(deps, of.customerId)
  return deps.approvals.requestLimits(scopeOf(deps, of, changeId), passkey, termsOf(found, changeId, change.limits))
}

function termsOf({ id, name, limits: was, limitsVersion }: OwnedAgent, changeId: string, limits: AgentLimits) {
  return {
    ...{ type: 'agent_limits', change_id: changeId, agent: { id, name }, version: limitsVersion, was, limits },
    sentence: {
      ...{ version: SENTENCE_VERSION, language: 'en', locale: 'en', time_zone: null },
      text: sentenceOf({ type: 'limits', agent: name, was, limits }, readingOf(['en'])),
    },
  } satisfies LimitsTerms
}

/** Makes what the owner has signed: those limits in place of these, of this agent, once. */
export async function approveLimits(
  deps: AgentDeps,
  of: OwnersAgent,
  { changeId, response }: { changeId: string; response: unknown },
): Promise<void> {
  const { merchantId, approvals } = deps
  // First: an agent of another owner is told apart from none by no answer, whatever is sent with it.
  await findOwned(deps, of.customerId, of.agentId)
  const scope = scopeOf(deps, of, changeId)
  const answer = deps.passkeys.readAssertion(response)
  const known = await claim(deps, scope, 'assertion', answer)
  const approval = await approvals.verifyLimits(scope, answer, known)
  const { terms } = approval
  const isIts = terms.type === 'agent_limits' && terms.change_id === changeId
  // A statement about another agent of theirs is none about this one.
  if (!isIts || terms.agent.id !== of.agentId) throw agentNotFound()
  const { version, limits } = terms
  const found = await asRead(deps, of, version)
  if (textOf(terms.was) !== textOf(found.limits)) {
    throw deps.seals.alarm({ table: 'agents', merchantId, id: of.agentId })
  }
  const values = { ...valuesOf(deps, found, { version, limits }), ...approvals.evidenceOf(scope, approval), changeId }
  const changed = await single(deps, { name: 'agents.approve_limits', silent: 'owner' }, ({ on, at }) =>
    store.approveLimits(on, { ...values, at }),
  )
  if (changed === undefined) throw changedMeanwhile()
  noted(deps, of)
}

/** Makes limits that allow no more than those before: nothing is given away by it. */
export async function narrowLimits(deps: AgentDeps, of: OwnersAgent, change: LimitsChange): Promise<void> {
  const found = await asRead(deps, of, change.version)
  checkChange(found, change.limits)
  const wider = widenedBy(found.limits, change.limits)
  if (wider.length > 0) {
    throw fieldErrors(
      Object.fromEntries(
        wider.map((field) => [`limits.${field}`, 'allows more than before: sign it with the passkey']),
      ),
    )
  }
  const values = { ...valuesOf(deps, found, change), changeId: newId('limitsChange') }
  const changed = await single(deps, { name: 'agents.narrow_limits', silent: 'owner' }, ({ on, at }) =>
    store.narrowLimits(on, { ...values, at }),
  )
  if (changed === undefined) throw changedMeanwhile()
  noted(deps, of)
}

/** A restore forgets it: the line says what has to hold again. */
const noted = ({ log }: AgentDeps, { agentId }: OwnersAgent) =>
  log.info('the limits of an agent were changed', { audit: 'agent_limits', actor: OWNER, row_id: agentId })

const changedMeanwhile = () => invalidState({ message: 'Other limits hold by now. Look at them, and change those.' })

/** The agent, while its limits are those that were read. Throws `RowTampered`. */
async function asRead(deps: AgentDeps, { agentId, customerId }: OwnersAgent, version: number): Promise<OwnedAgent> {
  const found = await findOwned(deps, customerId, agentId)
  if (found.status !== 'active') throw agentNotFound()
  if (found.limitsVersion !== version) throw changedMeanwhile()
  return found
}

function checkChange({ limits: was }: OwnedAgent, to: AgentLimits): void {
  checkLimits(to)
  const changed = changedBy(was, to)
  if (changed.includes('currency')) {
    // Its mandates are in it, and what it has spent today was counted in it.
    throw fieldErrors({ 'limits.currency': `is ${was.currency} as long as the agent is linked` })
  }
  if (changed.length === 0) throw fieldErrors({ limits: 'must differ from those that hold' })
}

function valuesOf({ merchantId, seals }: AgentDeps, found: OwnedAgent, { version, limits }: LimitsChange) {
  const { id: agentId, customerId } = found
  const seal = seals.seal(sealedAgent({ ...found, merchantId, limits, limitsVersion: version + 1 }))
  return { merchantId, agentId, customerId, version, limits, seal }
}

const textOf = (limits: AgentLimits) => canonicalJson(limits as JsonValue)

function scopeOf({ merchantId }: AgentDeps, { customerId }: OwnersAgent, changeId: string): CeremonyScope {
  return { merchantId, customerId, subject: { type: 'agent_limits', id: changeId }, allowedOrigins: [] }
}

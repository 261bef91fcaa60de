import { createHmac, randomBytes } from 'node:crypto'
import type { StopAfter, SurfaceStep, SurfaceView } from '@mintmark/contract'
import type { EscalationStatus } from '@mintmark/contract/agents'
import type { ApproveLinkBody } from '@mintmark/contract/wire/agents'
import type { CompleteBody } from '@mintmark/contract/wire/sandbox'
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { type AgentService, SANDBOX_LIMITS, type WhichAgent } from '../agents/service.ts'
import type { CardholderService } from '../cardholder/service.ts'
import type { EscalationService } from '../escalations/service.ts'
import { STEP_UP_CODE } from '../network/simulator/test-cards.ts'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '../passkeys/software-authenticator.ts'
import { bound } from '../platform/bound.ts'
import type { Clock } from '../platform/clock.ts'
import { invalidState, PublicError } from '../platform/errors.ts'
import type { Secret } from '../platform/secret.ts'
import { callerOf, type Session, type SessionService, type SurfaceCaller, standingOf } from '../sessions/service.ts'

export interface HeadlessResult {
  session: Session
  view: SurfaceView
}

interface SandboxDeps {
  clock: Clock
  agents: AgentService
  escalations: EscalationService
  sessions: SessionService
  cardholder: CardholderService
  authenticatorKey: Secret<Buffer>
  rpId: string
  surfaceOrigin: string
  ownerOrigin: string
}

const PLAIN_CARD = '4242424242424242'
/** Enough that no two passkeys of a customer are alike. */
const SALT_BYTES = 16
/** A cardholder takes at most this many steps; more would mean that a step does not lead on. */
const MAX_STEPS = 8

/** Does the cardholder's part of a session with a software authenticator, through the page's own services. */
export async function complete(
  deps: SandboxDeps,
  callerId: string,
  sessionId: string,
  options: CompleteBody,
): Promise<HeadlessResult> {
  const session = await find(deps, callerId, sessionId)
  const { merchantId } = session
  const { status } = standingOf(session)
  if (status !== 'pending') {
    throw invalidState({ message: `The cardholder's part is over: the session is ${status}.` })
  }
  const view = await walk(deps, callerOf(session), options).catch((error: unknown) => {
    throw asStateError(error)
  })
  return { session: await deps.sessions.refresh({ merchantId, sessionId }), view }
}

/** A session of the caller's, or of an agent, whose owner is a customer of the operator's account. */
async function find({ sessions, agents }: SandboxDeps, merchantId: string, sessionId: string): Promise<Session> {
  return sessions.refresh({ merchantId, sessionId }).catch((error: unknown) => {
    if (!(error instanceof PublicError) || error.status !== 404) throw error
    return sessions.refresh({ merchantId: agents.merchantId, sessionId })
  })
}

export const createSandboxService = (deps: SandboxDeps) => bound(deps, { complete, approveLink, publishAgent, decide })
export type SandboxService = ReturnType<typeof createSandboxService>

/** Says as the agent's owner whether shops may find who it is. */
async function publishAgent({ agents }: SandboxDeps, agentId: string, published: boolean): Promise<void> {
  await (published ? agents.publish({ agentId }) : agents.unpublish({ agentId }))
}

/** Does an owner's part of the link of an agent, with a passkey of theirs, which a new owner registers first. */
export async function approveLink(
  deps: SandboxDeps,
  linkId: string,
  { owner, ...said }: ApproveLinkBody,
): Promise<{ agentId: string; continueUrl: string | null }> {
  const { agents } = deps
  const customerId = await agents.owner(owner ?? 'owner-1')
  const link = { linkId, customerId }
  const person = { merchantId: agents.merchantId, customerId, origin: deps.ownerOrigin }
  const creation = await agents.registrationOptions(link)
  if (creation !== null) {
    const authenticator = authenticatorOf(deps, person, randomBytes(SALT_BYTES))
    await agents.register(link, authenticator.register(creation))
  }
  const { options } = await agents.approvalOptions(link, await whichOf(deps, link, said))
  const agentId = await agents.approve(link, ownAuthenticator(deps, person, options).authenticate(options))
  return { agentId, continueUrl: await agents.continueUrl(linkId) }
}

/** As the page proposes it, unless the caller says otherwise. */
async function whichOf(
  { agents }: SandboxDeps,
  link: { linkId: string; customerId: string },
  { limits, agent_id: given }: Omit<ApproveLinkBody, 'owner'>,
): Promise<WhichAgent> {
  const agentId = given ?? (limits === undefined ? (await agents.lookAtLink(link)).last : null)
  return agentId === null || agentId === 'new' ? { limits: limits ?? SANDBOX_LIMITS } : { agentId }
}

/** Does an owner's part of an escalation: what is beyond the mandate is a mandate that they approve, all else one signature. */
export async function decide(deps: SandboxDeps, id: string, decision: 'allow' | 'deny'): Promise<EscalationStatus> {
  const { agents, escalations, sessions } = deps
  const ref = { merchantId: agents.merchantId, id }
  const { beyond, customerId, merchantId } = await escalations.pending(ref)
  if (decision === 'deny') await sessions.denyEscalation(ref)
  else if (beyond) await complete(deps, merchantId, (await sessions.openEscalation(ref)).sessionId, {})
  else {
    const { options } = await escalations.approvalOptions(ref)
    const person = { merchantId, customerId, origin: deps.ownerOrigin }
    await escalations.allow(ref, ownAuthenticator(deps, person, options).authenticate(options))
  }
  return escalations.standing(ref)
}

/** The page would say 401: its token died with the session. The caller of a test helper holds a good key. */
function asStateError(error: unknown): unknown {
  if (!(error instanceof PublicError) || error.status !== 401) return error
  return invalidState({ message: `The session ended meanwhile: ${error.message}`, cause: error })
}

async function walk(deps: SandboxDeps, caller: SurfaceCaller, options: CompleteBody): Promise<SurfaceView> {
  let view = await deps.cardholder.view(caller)
  // A card that was asked for is taken even where one is preselected, as a cardholder can.
  if (options.card_id !== undefined || options.card_number !== undefined) {
    view = await chooseCard(deps, caller, options)
  }
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    if (isPast(view.step, options.stop_after)) return view
    const next = await takeStep(deps, caller, options, view)
    if (next === null) return view
    view = next
  }
  throw invalidState({ message: 'The session does not lead to an approval.' })
}

const CARD_STEPS: readonly SurfaceStep[] = ['card', 'card_cvv']
/** What there is to do before walking away. A step that is not needed (a saved card, a passkey that exists) counts as done. */
const STEPS_BEFORE: Record<StopAfter, readonly SurfaceStep[]> = {
  card: CARD_STEPS,
  card_verification: [...CARD_STEPS, 'card_verification'],
  passkey: [...CARD_STEPS, 'card_verification', 'passkey_registration'],
}

function isPast(step: SurfaceStep, stopAfter: StopAfter | undefined): boolean {
  return stopAfter !== undefined && !STEPS_BEFORE[stopAfter].includes(step)
}

async function takeStep(
  deps: SandboxDeps,
  caller: SurfaceCaller,
  options: CompleteBody,
  view: SurfaceView,
): Promise<SurfaceView | null> {
  const { cardholder, sessions } = deps
  switch (view.step) {
    case 'card':
      return chooseCard(deps, caller, options)
    case 'card_cvv':
      return enterCvv(deps, caller, view)
    case 'card_verification':
      return cardholder.verifyCard(caller, STEP_UP_CODE)
    case 'passkey_registration': {
      const creation = await sessions.registrationOptions(caller, false)
      const authenticator = authenticatorOf(deps, caller, randomBytes(SALT_BYTES))
      return (await cardholder.register(caller, authenticator.register(creation))).view
    }
    case 'approval':
      return approve(deps, caller)
    case 'processing':
    case 'done':
      return null
  }
}

async function chooseCard(deps: SandboxDeps, caller: SurfaceCaller, options: CompleteBody): Promise<SurfaceView> {
  if (options.card_id !== undefined) return deps.cardholder.selectCard(caller, options.card_id)
  const number = (options.card_number ?? PLAIN_CARD).replace(/[ -]/g, '')
  return deps.cardholder.enterCard(caller, {
    card_number: number,
    expiry_month: '12',
    expiry_year: String(deps.clock.now().getUTCFullYear() + 3),
    cvv: /^3[47]/.test(number) ? '1234' : '123',
  })
}

/** American Express has four digits. */
async function enterCvv({ cardholder }: SandboxDeps, caller: SurfaceCaller, view: SurfaceView): Promise<SurfaceView> {
  return cardholder.enterCard(caller, {
    cvv: (view.card ?? view.card_on_file)?.card_brand === 'amex' ? '1234' : '123',
  })
}

async function approve(deps: SandboxDeps, caller: SurfaceCaller) {
  const { options } = await deps.sessions.approvalOptions(caller, { embedded: false })
  return deps.cardholder.approve(caller, ownAuthenticator(deps, caller, options).authenticate(options))
}

/** `origin` is that of the page that they are at; without it, the secure surface's. */
type Person = Pick<SurfaceCaller, 'merchantId' | 'customerId'> & { origin?: string }

function ownAuthenticator(
  deps: SandboxDeps,
  person: Person,
  { allowCredentials = [] }: PublicKeyCredentialRequestOptionsJSON,
): SoftwareAuthenticator {
  const authenticator = allowCredentials
    .map(({ id }) => ({
      id,
      ours: authenticatorOf(deps, person, Buffer.from(id, 'base64url').subarray(0, SALT_BYTES)),
    }))
    .find(({ id, ours }) => ours.credentialId === id)?.ours
  if (authenticator !== undefined) return authenticator
  throw invalidState({
    message: 'This customer has a passkey on a real device; finish in a browser, or use another user_id.',
  })
}

/**
 * A customer's authenticator is derived each time from the deployment's key: nothing is stored for it. As of a device, each passkey is
 * another one: a lost one is not replaced by itself.
 */
function authenticatorOf(deps: SandboxDeps, caller: Person, salt: Buffer): SoftwareAuthenticator {
  const seed = createHmac('sha256', deps.authenticatorKey.reveal())
    .update(`${caller.merchantId}:${caller.customerId}`)
    .digest()
  const { origin = deps.surfaceOrigin } = caller
  return createSoftwareAuthenticator({ seed, salt, rpId: deps.rpId, origin })
}

import type { IncomingHttpHeaders } from 'node:http'
import type { DatabaseClock } from '../db/clock.ts'
import {
  type CheckedCredential,
  type CredentialRequest,
  checkedBy,
  checkedOnce,
  credential,
} from '../http/credential.ts'
import { agentsHeldSinceRestore } from '../http/errors.ts'
import { byAddress, limit } from '../http/limit.ts'
import type { Clock } from '../platform/clock.ts'
import type { AgentCaller } from './authentication.ts'
import { claimOf, refused } from './claim.ts'
import { agentSignatureRequired } from './errors.ts'
import type { AgentService } from './service.ts'
import { checkSignedBody, type SignatureClaim } from './signature/verify.ts'

const KEYID = /;\s*keyid="([^"]*)"/

const SPEC = {
  scheme: {
    type: 'apiKey',
    in: 'header',
    name: 'Signature',
    description:
      'A signature of the request by the key of an agent: RFC 9421 with `ed25519` over `@method`, `@authority`, `@path`, `@query` and, with a ' +
      'body, `content-digest`; parameters `created`, `expires` (at most 300 seconds later), `nonce`, `keyid` (the id of the agent, or the ' +
      'thumbprint of its key) and `tag="agent-payer-auth"`. `details.reason` of a 401 says which check failed.',
  },
  header: 'signature',
  errors: { missing: agentSignatureRequired, invalid: agentSignatureRequired },
  // A signature is another one each time, and everybody may know the id of a key: a caller who has it and the address takes its turns.
  shown: ({ 'signature-input': input }: IncomingHttpHeaders, address: string) =>
    `${KEYID.exec(typeof input === 'string' ? input : '')?.[1] ?? ''} ${address}`,
} as const

/** The signature of an agent that an owner has linked. */
export const agentKey = credential<AgentCaller>('agent_signature', { ...SPEC, tenantOf: ({ agentId }) => agentId })

/** The same, also of one that was revoked since: what it has charged has an outcome. */
export const reportingAgentKey = credential<AgentCaller>('reporting_agent_signature', {
  ...SPEC,
  scheme: { ...SPEC.scheme, description: 'The signature of an agent, also of one that was revoked since.' },
  tenantOf: ({ agentId }) => agentId,
})

/** What a request says of itself, signed by a key that the service may not know yet. */
export interface LinkingCaller {
  claim: SignatureClaim
}
export const linkingKey = credential<LinkingCaller>('linking_signature', {
  ...SPEC,
  scheme: { ...SPEC.scheme, description: 'The same by the key that is to be linked; `keyid` is its thumbprint.' },
})

interface Host {
  clock: Clock & Pick<DatabaseClock, 'agentsHeldSince' | 'signaturesSince'>
  apiUrl: string
  isSandbox: boolean
}

const ofBeforeRestore = (since: Date) =>
  refused({
    reason: 'signature_expired',
    message: `The service was restored from a backup: what was signed before ${since.toISOString()} is not taken. Sign anew from then on.`,
  })

/** How a host checks the signatures of agents. */
export function agentCredentials(agents: Pick<AgentService, 'identify' | 'admit'>, host: Host): CheckedCredential[] {
  const checkBody = async (
    _request: CredentialRequest,
    digest: Buffer,
    { claim }: { claim: Pick<SignatureClaim, 'bodyDigest'> },
  ) => {
    const refusal = checkSignedBody(claim, digest)
    if (refusal !== undefined) throw refused(refusal)
  }
  const ofNow = (request: CredentialRequest) => {
    const claim = claimOf(request, host)
    const since = host.clock.signaturesSince()
    if (since !== null && claim.created * 1000 < since.getTime()) throw ofBeforeRestore(since)
    return claim
  }
  const ofLinked = async (request: CredentialRequest) => {
    if (host.clock.agentsHeldSince() !== null) throw agentsHeldSinceRestore
    return agents.identify(ofNow(request))
  }
  return [
    checkedOnce(agentKey, {
      identify: ofLinked,
      spend: (signer) => agents.admit(signer, { revoked: 'refused' }),
      checkBody,
    }),
    checkedOnce(reportingAgentKey, {
      identify: ofLinked,
      spend: (signer) => agents.admit(signer, { revoked: 'taken' }),
      checkBody,
    }),
    checkedBy(linkingKey, { check: async (request) => ({ claim: ofNow(request) }), checkBody }),
  ]
}

export const perAgent = limit('agent', {
  points: 1_200,
  windowSeconds: 60,
  by: ({ agentId }: { agentId: string }) => agentId,
  withoutStore: 'pass',
  meaning: 'Calls of an agent.',
  countedBy: 'agent',
})

export const perLinking = limit('agent_link', {
  points: 60,
  windowSeconds: 60,
  by: byAddress,
  // Any caller may ask, and each link is a row.
  withoutStore: 'refuse',
  meaning: 'Links that agents ask for, and looks at how they stand. Refused when the counter cannot be read.',
  countedBy: 'client address',
})

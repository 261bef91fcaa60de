import type { KeyObject } from 'node:crypto'
import type {
  AgentPaymentResult,
  CreateAgentSessionBody,
  CreateAgentSessionResponse,
} from '@mintmark/contract/wire/agent-sessions'
import type {
  AgentLinkStatusResponse,
  AgentMe,
  ChangeKeyBody,
  ChangeKeyResponse,
  LinkAgentBody,
  LinkAgentResponse,
} from '@mintmark/contract/wire/agents'
import type {
  ChargeBody,
  ChargeReportBody,
  ChargeReportResponse,
  ChargeResponse,
} from '@mintmark/contract/wire/charges'
import type { Mandate, MandateDetail, MandateList } from '@mintmark/contract/wire/mandates'
import type { ReportStatusBody, ReportStatusResponse } from '@mintmark/contract/wire/sessions'
import { createCaller } from './call.ts'

export interface AgentIdentity {
  apiUrl: string
  privateKey: KeyObject
  /** Absent: the key signs by its thumbprint, as before it is linked. */
  agentId?: string
}

/** The calls of an agent, each signed. What a call fails with is a `Failure`. */
export interface AgentClient {
  link(body: LinkAgentBody): Promise<LinkAgentResponse>
  linkStanding(linkId: string): Promise<AgentLinkStatusResponse>
  me(): Promise<AgentMe>
  changeKey(body: ChangeKeyBody): Promise<ChangeKeyResponse>
  createSession(body: CreateAgentSessionBody): Promise<CreateAgentSessionResponse & { mandate_id?: string }>
  paymentResult(sessionId: string): Promise<AgentPaymentResult>
  reportStatus(sessionId: string, body: ReportStatusBody): Promise<ReportStatusResponse>
  mandates(query: { limit?: string; cursor?: string }): Promise<MandateList>
  mandate(mandateId: string): Promise<MandateDetail>
  changeMandate(mandateId: string, verb: 'pause' | 'resume' | 'cancel'): Promise<Mandate>
  charge(mandateId: string, body: ChargeBody & { reference: string }, isDry: boolean): Promise<ChargeResponse>
  reportCharge(mandateId: string, transactionId: string, body: ChargeReportBody): Promise<ChargeReportResponse>
}

export function createAgentClient(identity: AgentIdentity, stopped: AbortSignal): AgentClient {
  const { get, post } = createCaller(identity, stopped)
  return {
    link: (body) => post('/v1/agents/links', ['link_id', 'link_url', 'expires_at'], body),
    linkStanding: (id) => get(`/v1/agents/links/${part(id)}`, ['status']),
    me: () => get('/v1/agents/me', ['agent_id', 'name', 'owner', 'limits', 'waiting']),
    changeKey: (body) => post('/v1/agents/me/keys', ['agent_id', 'key_thumbprint', 'old_key_valid_until'], body),
    createSession: (body) => post('/v1/sessions/agent', ['session_id', 'payment_url', 'expires_at', 'approval'], body),
    paymentResult: (id) => get(`/v1/sessions/agent/${part(id)}/payment-result`, ['session_id', 'status']),
    reportStatus: (id, body) => post(`/v1/sessions/agent/${part(id)}/report-status`, ['status', 'txn_ref_id'], body),
    // Without those that single purchases make.
    mandates: (query) => get(`/v1/mandates?${new URLSearchParams({ ...query, standing_only: 'true' })}`, ['mandates']),
    mandate: (id) => get(`/v1/mandates/${part(id)}`, ['id', 'status', 'charges']),
    changeMandate: (id, verb) => post(`/v1/mandates/${part(id)}/${verb}`, ['id', 'status']),
    charge: (id, body, isDry) => {
      const query = isDry ? '?dry_run=true' : ''
      return post(`/v1/mandates/${part(id)}/charge${query}`, ['status', 'amount', 'currency'], body)
    },
    reportCharge: (id, transactionId, body) =>
      post(`/v1/mandates/${part(id)}/charges/${part(transactionId)}/report`, ['transactionId', 'status'], body),
  }
}

/** An id as it was typed: it must not become another path. */
const part = (id: string) => encodeURIComponent(id)

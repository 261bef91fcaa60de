import type { AuthorizationBody, AuthorizationResponse, CompleteResponse } from '@mintmark/contract/wire/sandbox'
import { limitProblems } from '../agents/limits.ts'
import type { AuthorizationRequest, AuthorizationResult } from '../network/simulator/acquirer.ts'
import type { ErrorDetails } from '../platform/errors.ts'
import { valueAt } from '../platform/json.ts'
import { fractionProblemOfText, minorFromAmount } from '../platform/money.ts'
import { secret } from '../platform/secret.ts'
import { enrollmentStatusOf, standingOf } from '../sessions/service.ts'
import type { HeadlessResult } from './service.ts'

export function toWireComplete({ session, view }: HeadlessResult, now: Date): CompleteResponse {
  return {
    session_id: session.id,
    status: session.kind === 'enrollment' ? enrollmentStatusOf(session, now) : standingOf(session).status,
    card_id: session.cardId,
    next_step: view.step,
    outcome: view.outcome,
  }
}

/** Limits for an agent that has some. */
export function approveProblems(body: unknown): ErrorDetails {
  const agentId = valueAt(body, 'agent_id')
  const isJoined = agentId !== undefined && agentId !== 'new'
  const limits = valueAt(body, 'limits')
  if (isJoined && limits !== undefined) return { limits: 'must be absent: those of the agent stay' }
  return limitProblems(limits, 'limits.')
}

/** An amount the currency does not have. */
export function authorizationProblems(body: unknown): ErrorDetails {
  const amount = fractionProblemOfText(valueAt(body, 'amount'), valueAt(body, 'currency'))
  return amount === null ? {} : { amount }
}

export function fromWireAuthorization(body: AuthorizationBody): AuthorizationRequest {
  return {
    token: secret(body.token),
    dynamicCvv: secret(body.dynamic_cvv),
    expiryMonth: body.expiry_month,
    expiryYear: body.expiry_year,
    amount: { minor: minorFromAmount(body.amount), currency: body.currency },
    merchantUrl: body.merchant_url,
  }
}

export function toWireAuthorization(result: AuthorizationResult): AuthorizationResponse {
  return {
    authorization_id: result.authorizationId,
    approved: result.approved,
    response_code: result.responseCode,
    ...(result.authorizationCode === undefined ? {} : { authorization_code: result.authorizationCode }),
  }
}

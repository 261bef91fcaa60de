// Generated from the routes of the main API. Change the source, then run: npm run docs

import type { OperationId } from './api-types.ts'

/** How an operation is called. */
export interface OperationRow {
  method: string
  path: string
  /** It takes an `Idempotency-Key`. */
  takesKey?: true
}

export const OPERATIONS: Readonly<Record<OperationId, OperationRow>> = {
  createSession: { method: 'POST', path: '/v1/sessions', takesKey: true },
  getPaymentResult: { method: 'GET', path: '/v1/sessions/:sessionId/payment-result' },
  reportStatus: { method: 'POST', path: '/v1/sessions/:sessionId/report-status' },
  revokeSession: { method: 'POST', path: '/v1/sessions/:sessionId/revoke' },
  searchCatalog: { method: 'POST', path: '/v1/catalog/search' },
  getCatalogProduct: { method: 'GET', path: '/v1/catalog/products/:productId' },
  createQuote: { method: 'POST', path: '/v1/quotes' },
  getQuote: { method: 'GET', path: '/v1/quotes/:quoteId' },
  listCards: { method: 'GET', path: '/v1/listCards' },
  deleteCard: { method: 'POST', path: '/v1/deleteCard' },
  createVaultRecord: { method: 'POST', path: '/v1/vault/records' },
  enrollCard: { method: 'POST', path: '/v1/sessions/enroll-card', takesKey: true },
  getEnrollmentStatus: { method: 'GET', path: '/v1/sessions/:sessionId/status' },
  listMandates: { method: 'GET', path: '/v1/mandates' },
  getMandate: { method: 'GET', path: '/v1/mandates/:mandateId' },
  pauseMandate: { method: 'POST', path: '/v1/mandates/:mandateId/pause' },
  resumeMandate: { method: 'POST', path: '/v1/mandates/:mandateId/resume' },
  cancelMandate: { method: 'POST', path: '/v1/mandates/:mandateId/cancel' },
  chargeMandate: { method: 'POST', path: '/v1/mandates/:mandateId/charge' },
  reportCharge: { method: 'POST', path: '/v1/mandates/:mandateId/charges/:txnId/report' },
  linkAgent: { method: 'POST', path: '/v1/agents/links' },
  getAgentLink: { method: 'GET', path: '/v1/agents/links/:linkId' },
  getAgent: { method: 'GET', path: '/v1/agents/me' },
  changeAgent: { method: 'PATCH', path: '/v1/agents/me' },
  changeAgentKey: { method: 'POST', path: '/v1/agents/me/keys' },
  createAgentSession: { method: 'POST', path: '/v1/sessions/agent', takesKey: true },
  listAgentSessions: { method: 'GET', path: '/v1/agents/sessions' },
  getAgentPaymentResult: { method: 'GET', path: '/v1/sessions/agent/:sessionId/payment-result' },
  reportAgentStatus: { method: 'POST', path: '/v1/sessions/agent/:sessionId/report-status' },
  resetPasskey: { method: 'POST', path: '/v1/customers/:userId/passkey-reset' },
  listEvents: { method: 'GET', path: '/v1/events' },
  getEvent: { method: 'GET', path: '/v1/events/:eventId' },
  listWebhookEventTypes: { method: 'GET', path: '/v1/webhook-event-types' },
  listWebhookEndpoints: { method: 'GET', path: '/v1/webhook-endpoints' },
  createWebhookEndpoint: { method: 'POST', path: '/v1/webhook-endpoints', takesKey: true },
  getWebhookEndpoint: { method: 'GET', path: '/v1/webhook-endpoints/:endpointId' },
  updateWebhookEndpoint: { method: 'PATCH', path: '/v1/webhook-endpoints/:endpointId' },
  deleteWebhookEndpoint: { method: 'DELETE', path: '/v1/webhook-endpoints/:endpointId' },
  verifyWebhookEndpoint: { method: 'POST', path: '/v1/webhook-endpoints/:endpointId/verify' },
  testWebhookEndpoint: { method: 'POST', path: '/v1/webhook-endpoints/:endpointId/test' },
  rotateWebhookSecret: { method: 'POST', path: '/v1/webhook-endpoints/:endpointId/rotate-secret', takesKey: true },
  listWebhookDeliveries: { method: 'GET', path: '/v1/webhook-endpoints/:endpointId/deliveries' },
  getWebhookDelivery: { method: 'GET', path: '/v1/webhook-deliveries/:deliveryId' },
  replayWebhookDelivery: { method: 'POST', path: '/v1/webhook-deliveries/:deliveryId/replay', takesKey: true },
  recoverWebhookEndpoint: { method: 'POST', path: '/v1/webhook-endpoints/:endpointId/recover', takesKey: true },
  completeSession: { method: 'POST', path: '/v1/test_helpers/sessions/:sessionId/complete' },
  approveAgentLink: { method: 'POST', path: '/v1/test_helpers/agent_links/:linkId/approve' },
  publishAgent: { method: 'POST', path: '/v1/test_helpers/agents/:agentId/publish' },
  decideAgentEscalation: { method: 'POST', path: '/v1/test_helpers/agent_escalations/:escalationId/decide' },
  advanceClock: { method: 'POST', path: '/v1/test_helpers/clock/advance' },
  authorize: { method: 'POST', path: '/v1/test_helpers/authorizations' },
}

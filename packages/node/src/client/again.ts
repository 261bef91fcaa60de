import type { OperationId } from '../api-types.ts'

/**
 * What the same request again does where the first one may have taken effect. `read`: it changes nothing. `same`: it has the first result, or
 * what it makes a second time does no harm. `once`: it would be refused, or done twice; so it is not repeated, and the caller is told.
 */
export type Again = 'read' | 'same' | 'once'

/**
 * Names every operation, so that a new one does not compile without an answer. A charge is `same` because it always has a reference here, and what
 * creates a session because it always has an `Idempotency-Key`, which finds also the session of a quote that is used.
 */
export const AGAIN: Readonly<Record<OperationId, Again>> = {
  createSession: 'same',
  getPaymentResult: 'read',
  reportStatus: 'same',
  revokeSession: 'once',
  searchCatalog: 'read',
  getCatalogProduct: 'read',
  createQuote: 'same',
  getQuote: 'read',
  listCards: 'read',
  deleteCard: 'same',
  createVaultRecord: 'same',
  enrollCard: 'same',
  getEnrollmentStatus: 'read',
  listMandates: 'read',
  getMandate: 'read',
  pauseMandate: 'once',
  resumeMandate: 'once',
  cancelMandate: 'once',
  chargeMandate: 'same',
  reportCharge: 'same',
  linkAgent: 'same',
  getAgentLink: 'read',
  getAgent: 'read',
  changeAgent: 'same',
  changeAgentKey: 'once',
  createAgentSession: 'same',
  listAgentSessions: 'read',
  getAgentPaymentResult: 'read',
  reportAgentStatus: 'same',
  resetPasskey: 'same',
  listEvents: 'read',
  getEvent: 'read',
  listWebhookEventTypes: 'read',
  listWebhookEndpoints: 'read',
  createWebhookEndpoint: 'same',
  getWebhookEndpoint: 'read',
  updateWebhookEndpoint: 'same',
  deleteWebhookEndpoint: 'once',
  verifyWebhookEndpoint: 'same',
  testWebhookEndpoint: 'same',
  rotateWebhookSecret: 'same',
  listWebhookDeliveries: 'read',
  getWebhookDelivery: 'read',
  replayWebhookDelivery: 'same',
  recoverWebhookEndpoint: 'same',
  completeSession: 'once',
  approveAgentLink: 'once',
  publishAgent: 'same',
  decideAgentEscalation: 'once',
  advanceClock: 'once',
  authorize: 'once',
}

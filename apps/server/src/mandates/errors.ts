import { declareError } from '../platform/errors.ts'

export const authRequired = declareError(
  'AUTH_REQUIRED',
  'Send "Authorization: Bearer <key>" with a secret key of this environment.',
)
export const dashboardForbidden = declareError(
  'FORBIDDEN',
  'Only a control-plane key may pass dashboard_user_id and agent_id.',
)
export const chargingForbidden = declareError(
  'FORBIDDEN',
  'A control-plane key reads and moves mandates. It neither charges them nor reports: use a key of the merchant.',
)
export const mandateNotFound = declareError('MANDATE_NOT_FOUND', 'There is no such mandate.')
export const mandateInvalidTransition = declareError(
  'MANDATE_INVALID_TRANSITION',
  'The mandate does not allow this in its present status.',
)
export const mandateForbidden = declareError('MANDATE_FORBIDDEN', 'The mandate is not yours.')

import { declareError } from '../../platform/errors.ts'

export const endpointPaused = declareError('ENDPOINT_PAUSED', 'The endpoint is paused. Enable it first.')
export const endpointDisabled = declareError(
  'ENDPOINT_DISABLED',
  'The service has disabled the endpoint. Verify it again first.',
)
export const endpointNotSubscribed = declareError(
  'ENDPOINT_NOT_SUBSCRIBED',
  'The endpoint does not want events of this kind.',
)
export const deliveryExpired = declareError('DELIVERY_EXPIRED', 'The event is older than 30 days.')
export const recoveryInProgress = declareError(
  'RECOVERY_IN_PROGRESS',
  'The endpoint is being caught up already. Wait until that is completed.',
)
export const tooManyRecoveries = declareError(
  'RATE_LIMITED',
  'The endpoints of the account were caught up ten times within an hour, which is the most. The feed has every event. Try again later.',
)
export const endpointBusy = declareError(
  'RATE_LIMITED',
  'A request to this endpoint is on its way, or the account is sent as many as it may be. Try again later.',
)

import { declareError } from '../platform/errors.ts'

export const mandateNotActive = declareError('MANDATE_NOT_ACTIVE', 'The mandate is not active: nothing is charged.')
export const merchantNotAllowed = declareError(
  'MANDATE_MERCHANT_NOT_ALLOWED',
  'The mandate allows charges at the merchant it names, and at no other.',
)
export const noInstruction = declareError('NO_INSTRUCTION', 'The card network does not know the mandate.')
export const noOrder = declareError('NO_ORDER', 'The mandate has no order.')
export const noToken = declareError(
  'NO_TOKEN',
  'The card network has not answered yet. Nothing is lost: ask again with the same reference.',
)
export const chargeNotWritten = declareError(
  'MANDATE_CHARGE_DB_FAILED',
  'The charge could not be written, and nothing was charged. Send it again with the same reference.',
)
export const chargeNotFound = declareError('CHARGE_NOT_FOUND', 'The mandate has no such charge.')
export const chargeNotReportable = declareError('CHARGE_NOT_REPORTABLE', 'The charge awaits no report.')
export const chargeNoLineItem = declareError('CHARGE_NO_TLI', 'The charge has no line item.')
export const chargeConfirmationFailed = declareError(
  'NETWORK_CONFIRMATION_FAILED',
  'The card network did not confirm the outcome. It is kept; send the same report again.',
)
export const chargeReportFailed = declareError(
  'MANDATE_CHARGE_REPORT_DB_FAILED',
  'The report could not be recorded. Send it again.',
)

import { declareError } from '../../platform/errors.ts'

/** Of an operator, who names an account that does not exist. */
export const noSuchAccount = declareError('NOT_FOUND', 'There is no such account.')

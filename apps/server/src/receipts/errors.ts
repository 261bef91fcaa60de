import { declareError } from '../platform/errors.ts'

export const receiptNotFound = declareError('NOT_FOUND', 'There is no such receipt of yours.')

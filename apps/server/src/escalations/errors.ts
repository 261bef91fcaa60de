import { declareError } from '../platform/errors.ts'

export const escalationNotFound = declareError('NOT_FOUND', 'There is no such escalation.')

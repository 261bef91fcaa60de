import { bound } from '../platform/bound.ts'
import type { EnrollmentDeps } from './deps.ts'
import { begin, end, noteTried } from './end.ts'
import { provisioning, provisionOnce, provisionOnly } from './provision-only.ts'

export type { EnrollmentDeps } from './deps.ts'
export { busyUntil } from './end.ts'
export { type EnrollmentEventType, type EnrollmentFacts, enrollmentEvent } from './events.ts'
export type { EnrollRefusal } from './fragments.ts'
export type { ProvisionRequest } from './provision-only.ts'
export { enrollRefused } from './provision-only.ts'

/** Cards that are enrolled without a payment. */
export const createEnrollmentService = (deps: EnrollmentDeps) =>
  bound(deps, { provisionOnly, provisionOnce, provisioning, begin, noteTried, end })
export type EnrollmentService = ReturnType<typeof createEnrollmentService>

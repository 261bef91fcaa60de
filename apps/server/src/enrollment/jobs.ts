import type { Job } from '../jobs/loop.ts'
import type { EnrollmentService } from './service.ts'
import { PROVISION_JOB } from './store.ts'

export function enrollmentJobs(enrollments: EnrollmentService): Job[] {
  return [{ name: PROVISION_JOB, run: () => enrollments.provisionDue(50) }]
}

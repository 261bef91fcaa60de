import type { Job } from '../jobs/loop.ts'
import { PROVISION_JOB } from './provision-only.ts'
import type { EnrollmentService } from './service.ts'

export function enrollmentJobs(enrollments: EnrollmentService): Job[] {
  return [{ name: PROVISION_JOB, run: () => enrollments.provisionDue(50) }]
}

import type { Job } from '../jobs/loop.ts'
import type { EnrollmentService } from './service.ts'

export function enrollmentJobs(enrollments: EnrollmentService): Job[] {
  return [enrollments.provisioning()]
}

import { limit } from '../http/limit.ts'

type Caller = { merchantId: string }

export const perEnrollment = limit('enrollment', {
  points: 60,
  windowSeconds: 60,
  by: ({ merchantId }: Caller) => merchantId,
  withoutStore: 'pass',
  meaning: 'Enrollments of cards that are begun.',
  countedBy: 'merchant',
})

/** Nothing but our own ids is counted by itself: the text is the caller's. */
const SESSION_ID = /^sess_[0-9a-z]{20,40}$/

export const perEnrollmentStatus = limit('enrollment_status', {
  points: 120,
  windowSeconds: 60,
  by: ({ merchantId }: Caller, { params }) => {
    const sessionId = (params as { sessionId?: string } | undefined)?.sessionId ?? ''
    return `${merchantId}:${SESSION_ID.test(sessionId) ? sessionId : ''}`
  },
  withoutStore: 'pass',
  meaning: 'Reads of the status of one enrollment.',
  countedBy: 'session',
})

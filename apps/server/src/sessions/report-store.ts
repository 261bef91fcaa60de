import { firstReportOf, REPORTED_WORK } from '../charges/work-fragments.ts'
import { one } from '../db/statement.ts'

/**
 * Takes the report of a session's payment by what it names; see `firstReportOf`. A session that an agent has, or had before an editor
 * of the database changed its row, is not its merchant's to report.
 */
export const claimFirstReport = one(
  'sessions.claim_report',
  firstReportOf(
    `(select charge_id from sessions
       where merchant_id = $merchantId and id = $sessionId and agent_id is null and agent_name is null and agent_seal is null)`,
  ),
  REPORTED_WORK,
)

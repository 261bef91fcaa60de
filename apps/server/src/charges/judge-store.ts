import { JUDGE_LIMITS, LIMIT_REACHED, LIMITED, LIMITED_COLUMNS } from '../agents/fragments.ts'
import { nullable, type RowOf, text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { ASKED, OWNER_ASKED } from '../escalations/fragments.ts'
import { asking, JUDGED } from './judge-fragments.ts'
import { ALIKE, OWN, REPEATED } from './of-agent-fragments.ts'

// Why a charge against a standing mandate was not opened, or would not be: asked when a statement of `open-store.ts`
// has opened none, and of a dry run.

/** None: the merchant has no such mandate, or no one has approved it yet. */
export const judgeStanding = one(
  'charges.judge_standing',
  asking({ own: '', look: '', asked: '', refusal: '', answer: '' } as const),
  JUDGED,
)

/** What is told of a charge beside what every one is told, where an agent makes it. */
const TOLD = { ...LIMITED, duplicateOf: nullable(text) }
export type AgentJudged = RowOf<typeof TOLD>

/** The same of an agent, within what its owner allows it. */
export const judgeOfAgent = one(
  'charges.judge_of_agent',
  asking({
    own: OWN,
    look: `${ALIKE}, ${JUDGE_LIMITS}, ${ASKED}, `,
    asked: OWNER_ASKED,
    refusal: LIMIT_REACHED,
    answer: `, ${LIMITED_COLUMNS}, ${REPEATED} as duplicate_of`,
  } as const),
  { ...JUDGED, ...TOLD },
)

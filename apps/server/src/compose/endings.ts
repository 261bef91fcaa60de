import { endTokens } from '../mcp/epoch.ts'
import { endSessions } from '../owners/epoch.ts'
import type { Ending } from '../restored/service.ts'

/** What a restore ends, beside what it asks the network about. */
export const ENDINGS: readonly Ending[] = [endSessions, endTokens]

import { execute } from '../db/statement.ts'
import { INSERT_EVENT_VALUES } from './fragments.ts'

/** Exists if and only if the transaction commits. The unique version refuses a second event for one change. */
export const insertEvent = execute('events.insert', INSERT_EVENT_VALUES)

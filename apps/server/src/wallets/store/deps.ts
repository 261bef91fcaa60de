import type { CommandDeps } from '../../db/command.ts'

export type StoreDeps = Pick<CommandDeps, 'pool' | 'clock' | 'events'>

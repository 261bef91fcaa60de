import type { Command } from 'commander'
import type { Operated } from '../compose/operated.ts'

type Run = (work: (app: Pick<Operated, 'events' | 'restored'>) => Promise<unknown>) => Promise<void>

export function addEventCommands(events: Command, run: Run): void {
  events
    .command('parked')
    .description(
      'events that the feed does not have, because they are too large or there is one of their change already',
    )
    .action(() => run(({ events }) => events.listParked()))
  events
    .command('restored')
    .description(
      'after a restore with tools of your own, before the service starts: readers of feeds go on where it ends now',
    )
    .action(() => run(({ restored }) => restored.startEpoch()))
}

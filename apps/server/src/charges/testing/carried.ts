import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { TestService } from '../../../test/service.ts'
import { MIGRATIONS_DIRECTORY } from '../../db/migration-files.ts'

/** A migration that is applied, and its way back: `0052_references_of_charges`. */
export function carrying(service: () => TestService, name: string) {
  const version = Number(name.slice(0, 4))
  const rows = async (text: string, values: unknown[] = []) => (await service().pool.query(text, values)).rows
  const run = async (folder: string) => rows(await readFile(join(MIGRATIONS_DIRECTORY, folder, `${name}.sql`), 'utf8'))
  return {
    rows,
    goForward: () => run(''),
    /** As if no migration had come after it. */
    async goBack(): Promise<void> {
      await rows('delete from schema_migrations where version > $1', [version])
      await run('back')
      expect(await rows('select max(version) as last from schema_migrations')).toEqual([{ last: version - 1 }])
    },
    /** The last one of its file: it leaves a migration behind that there is not. */
    async expectNoWayBackBesideLater(): Promise<void> {
      await rows(`insert into schema_migrations values (9999, 'later', 'none', false, now())`)
      await expect(run('back')).rejects.toThrow('Later migrations are applied')
    },
  }
}

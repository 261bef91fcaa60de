import { expect, test } from 'vitest'
import { findProblem, type ServerFacts } from './server.ts'

const GOOD: ServerFacts = {
  version: '18.4',
  versionNumber: 180_004,
  encoding: 'UTF8',
  fsync: 'on',
  synchronousCommit: 'on',
}

test.each<[string, Partial<ServerFacts>, boolean, string | undefined]>([
  ['a good server', {}, true, undefined],
  ['the oldest we support', { version: '15.0', versionNumber: 150_000 }, true, undefined],
  ['one older', { version: '14.12', versionNumber: 140_012 }, false, 'PostgreSQL 14.12 is too old'],
  ['another encoding', { encoding: 'SQL_ASCII' }, false, 'encoding SQL_ASCII'],
  ['fsync off in the sandbox', { fsync: 'off' }, false, undefined],
  ['fsync off in production', { fsync: 'off' }, true, 'fsync = off'],
  ['commits not awaited in production', { synchronousCommit: 'off' }, true, 'synchronous_commit = off'],
  ['commits awaited here only', { synchronousCommit: 'local' }, true, 'synchronous_commit = local'],
  ['commits awaited more strictly', { synchronousCommit: 'remote_apply' }, true, undefined],
])('%s', (_name, facts, production, problem) => {
  const found = findProblem({ ...GOOD, ...facts }, production)
  if (problem === undefined) expect(found).toBeUndefined()
  else expect(found).toContain(problem)
})

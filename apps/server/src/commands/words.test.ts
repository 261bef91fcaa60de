// Guarantee: what keeps the service from starting is said in one line that names the setting.
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ENVIRONMENTS } from '@mintmark/contract'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { OPERATOR } from '../../test/service.ts'
import { readConfig } from '../config.ts'
import { ReadOnlyDatabaseError } from '../db/errors.ts'
import { checkMigrated } from '../db/migrate.ts'
import { createLog } from '../platform/log.ts'
import { openFoundation, openRootKey } from './foundation.ts'
import { explainHomeError, makeHome } from './home.ts'
import { runService } from './run.ts'

let directory: string
let database: TestDatabase
beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'mintmark-words-')))
  database = await createTestDatabase()
})
afterAll(async () => {
  await database?.close()
  await rm(directory, { recursive: true })
})

describe('the home', () => {
  test('is a file, or below one', async () => {
    const file = join(directory, 'file')
    await writeFile(file, '')
    await expect(makeHome(file)).rejects.toThrow(`MINTMARK_HOME ${file} cannot be used: it is a file.`)
    await expect(makeHome(join(file, 'x'))).rejects.toThrow('a part of its path is a file. Set MINTMARK_HOME')
  })

  test('is not made in production, which keeps nothing there', async () => {
    const file = join(directory, 'file')
    await writeFile(file, '')
    const url = new URL(database.url)
    url.pathname = '/no_such_database'
    const env = {
      ...{ MINTMARK_ENVIRONMENT: 'production', NETWORK_ADAPTER: 'simulator', MINTMARK_HOME: join(file, 'home') },
      ...{ API_URL: 'https://api.pay.example', SURFACE_URL: 'https://pay.example' },
      ...OPERATOR,
      ...{ DATABASE_URL: url.href, ROOT_KEY_FILE: file, LOG_LEVEL: 'silent' },
    }
    await expect(runService('worker', readConfig(env))).rejects.toThrow(
      /The database that DATABASE_URL names does not exist/,
    )
  })

  test.each([
    ['EACCES', 'may not make a directory there'],
    ['ENOENT', 'may not make a directory there'],
    ['EROFS', 'the file system is read-only'],
    ['ENOSPC', 'the disk is full'],
    ['EWHATEVER', 'EWHATEVER'],
  ])('where making it fails with %s', (code, words) => {
    const { message } = explainHomeError('/srv/home', Object.assign(new Error('mkdir'), { code }))
    expect(message).toMatch(/^MINTMARK_HOME \/srv\/home cannot be used: /)
    expect(message).toContain(words)
  })
})

describe('DATABASE_URL', () => {
  const start = (url: string) => {
    const config = readConfig({ MINTMARK_HOME: join(directory, 'home'), DATABASE_URL: url })
    return openFoundation(config, createLog({ level: 'silent' }))
  }
  const changed = (change: (url: URL) => void) => {
    const url = new URL(database.url)
    change(url)
    return url.href
  }

  test('is no URL', async () => {
    await expect(start('postgres://a b:c d@[::/x')).rejects.toThrow('DATABASE_URL is not a valid URL')
  })

  test('names a database that does not exist', async () => {
    const none = changed((url) => {
      url.pathname = '/no_such_database'
    })
    await expect(start(none)).rejects.toThrow(/The database that DATABASE_URL names does not exist/)
  })

  test('leads to a server that takes no writes', async () => {
    const name = decodeURIComponent(new URL(database.url).pathname.slice(1))
    await database.pool.query(`alter database "${name}" set default_transaction_read_only = on`)
    const failed = await start(database.url).catch((error: unknown) => error)
    // The connection that was open before is not read-only.
    await database.pool.query(`alter database "${name}" reset default_transaction_read_only`)
    expect(failed).toMatchObject({ message: expect.stringMatching(/^The server of DATABASE_URL takes no writes: /) })
    expect((failed as Error).cause).toBeInstanceOf(ReadOnlyDatabaseError)
  })

  test('has a user who may not make tables', async () => {
    const role = `words_${process.pid}`
    await database.pool.query(`create role ${role} login password 'x'`)
    const name = decodeURIComponent(new URL(database.url).pathname.slice(1))
    try {
      const bare = changed((url) => {
        url.username = role
        url.password = 'x'
      })
      await expect(start(bare)).rejects.toThrow(/The user of DATABASE_URL may not make our tables .+ grant it CREATE/)
      const wrong = changed((url) => {
        url.username = role
        url.password = 'wrong'
      })
      // A test server that trusts its socket takes any password.
      await expect(start(wrong)).rejects.toThrow(/DATABASE_URL/)
    } finally {
      await database.pool.query(`drop owned by ${role}`)
      await database.pool.query(`drop role ${role}`)
    }
    expect(name).not.toBe('')
  })
})

describe('MINTMARK_ENVIRONMENT is another one than that of the database', () => {
  let own: TestDatabase
  let config: { home: string; rootKeyFile: string }
  beforeEach(async () => {
    own = await createTestDatabase()
    const rootKeyFile = join(directory, 'root.key')
    await writeFile(rootKeyFile, Buffer.alloc(32, 5), { mode: 0o600 })
    config = { home: directory, rootKeyFile }
  })
  afterEach(() => own.close())

  test.each([
    ['sandbox', 'production'],
    ['production', 'sandbox'],
  ] as const)('%s on one that was made in %s: nobody works on it, and it stays as it is', async (ours, theirs) => {
    await openRootKey({ ...config, environment: theirs }, own.pool)
    const stored = () => own.pool.query('select * from root_key_check').then(({ rows }) => rows)
    const before = await stored()
    await expect(openRootKey({ ...config, environment: ours }, own.pool)).rejects.toThrow(
      `MINTMARK_ENVIRONMENT is ${ours}, and the database was made in ${theirs}. Set MINTMARK_ENVIRONMENT=${theirs}, or name`,
    )
    expect(await stored()).toEqual(before)
    await openRootKey({ ...config, environment: theirs }, own.pool)
  })

  test('another root key is told as such in either', async () => {
    await openRootKey({ ...config, environment: 'production' }, own.pool)
    await writeFile(config.rootKeyFile, Buffer.alloc(32, 6), { mode: 0o600 })
    for (const environment of ENVIRONMENTS) {
      await expect(openRootKey({ ...config, environment }, own.pool)).rejects.toThrow('The root key of ROOT_KEY_FILE')
    }
  })
})

test('a verb in production finds an empty database, and leaves it so', async () => {
  const own = await createTestDatabase()
  try {
    await own.pool.query('drop schema simnet, issuing, public cascade; create schema public')
    const rootKeyFile = join(directory, 'production.key')
    await writeFile(rootKeyFile, Buffer.alloc(32, 7), { mode: 0o600 })
    const config = { home: directory, rootKeyFile, environment: 'production' } as const
    await expect(openRootKey(config, own.pool, checkMigrated)).rejects.toThrow(/no schema yet.+ Run "mintmark migrate"/)
    expect((await own.pool.query(`select 1 from pg_tables where schemaname = 'public'`)).rowCount).toBe(0)
    await openRootKey(config, own.pool)
    await openRootKey(config, own.pool, checkMigrated)
  } finally {
    await own.close()
  }
})

test('HOST is no address of this machine', async () => {
  const config = readConfig({
    MINTMARK_HOME: join(directory, 'home'),
    DATABASE_URL: database.url,
    HOST: '192.0.2.1',
    PORT: '23999',
    LOG_LEVEL: 'silent',
  })
  await expect(runService('serve', config)).rejects.toThrow(
    'The main API cannot listen on 192.0.2.1:23999: this machine has no such address. Set HOST to one it has',
  )
})

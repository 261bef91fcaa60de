import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CHARGE_TRANSITIONS } from '../apps/server/src/charges/states.ts'
import { TABLES } from '../apps/server/src/db/tables.ts'
import { MANDATE_TRANSITIONS } from '../apps/server/src/mandates/states.ts'
import { SESSION_TRANSITIONS, SETUP_TRANSITIONS } from '../apps/server/src/sessions/states.ts'
import { explainedFields, sampleBody } from './docs/events-page.ts'
import { generatedPages } from './docs/pages.ts'
import { KEPT } from './docs/retention-page.ts'
import { CHARGE_MOVES, MANDATE_MOVES, SESSION_MOVES, SETUP_MOVES } from './docs/state-texts.ts'
import { movesOf } from './docs/states-page.ts'

const ROOT = join(import.meta.dirname, '..')

describe('pages made from code are up to date (npm run docs writes them)', async () => {
  test.each(await generatedPages())('$path', async ({ path, text }) => {
    expect(await readFile(join(ROOT, path), 'utf8').catch(() => 'missing')).toBe(text)
  })
})

describe('what types cannot compare', () => {
  test.each([
    ['session', SESSION_TRANSITIONS, SESSION_MOVES],
    ['setup', SETUP_TRANSITIONS, SETUP_MOVES],
    ['charge', CHARGE_TRANSITIONS, CHARGE_MOVES],
    ['mandate', MANDATE_TRANSITIONS, MANDATE_MOVES],
  ])('every move of a %s is explained, and no other', (_name, transitions, texts) => {
    expect(Object.keys(texts).sort()).toEqual(movesOf(transitions).sort())
  })

  test('the environment is read in one place, so every variable has its row on the configuration page', async () => {
    const readers: string[] = []
    for await (const file of glob('apps/server/src/**/*.ts', { cwd: ROOT })) {
      if (file.endsWith('.test.ts') || file.includes('/testing/')) continue
      if (/\bprocess\.env\b/.test(await readFile(join(ROOT, file), 'utf8'))) readers.push(file)
    }
    expect(readers).toEqual(['apps/server/src/main.ts'])
  })

  test('every table says how long its rows are kept, and no other', () => {
    expect(Object.keys(KEPT).sort()).toEqual(Object.keys(TABLES).sort())
  })

  test('every field of an event is explained, and no other', () => {
    expect(explainedFields()).toEqual(Object.keys(JSON.parse(sampleBody())))
  })
})

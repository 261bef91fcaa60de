import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from './report.ts'
import type { Run } from './summary.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
const REPORTER = join(import.meta.dirname, 'reporter.ts')

interface Wanted {
  set: string
  /** Projects of `vitest.config.ts`; none are all. */
  projects: readonly string[]
  /** All of the projects without it. */
  file?: string
  env?: NodeJS.ProcessEnv
  isSilent?: boolean
}

/** Runs vitest with its own reporter on this terminal, and returns what it came to. */
export async function runVitest({ set, projects, file, env, isSilent }: Wanted): Promise<Run> {
  const directory = await mkdtemp(join(tmpdir(), 'mintmark-report-'))
  const place = join(directory, 'report.json')
  try {
    const args = [VITEST, 'run', '--reporter=default', `--reporter=${REPORTER}`]
    for (const project of projects) args.push('--project', project)
    // A filter is a part of a path: the whole path is in no other.
    if (file !== undefined) args.push(join(ROOT, file))
    const exitCode = await new Promise<number>((resolve, reject) => {
      const child = spawn(process.execPath, args, {
        cwd: ROOT,
        env: { ...process.env, ...env, TEST_REPORT: place },
        stdio: ['ignore', isSilent ? 'ignore' : 'inherit', isSilent ? 'ignore' : 'inherit'],
      })
      child.on('error', reject)
      child.on('close', (code) => resolve(code ?? 1))
    })
    return { set, exitCode, report: await readReport(place) }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function readReport(place: string): Promise<Report | null> {
  try {
    return JSON.parse(await readFile(place, 'utf8')) as Report
  } catch {
    return null
  }
}

import type { ActivityCharge, ActivityList } from '@mintmark/contract/wire/owner-activity'
import { get } from '@mintmark/ui/backend.ts'
import { signal } from '@preact/signals'
import { time } from '../money.ts'
import { wordsFor } from '../session.tsx'
import { words } from '../text/seen/words.ts'
import { Alert, Button } from '../ui.tsx'
import { csvOf } from './csv.ts'

/** How long a file that was made can be saved: then the browser drops it. */
const GOOD_MILLIS = 10 * 60_000

interface File {
  url: string
  name: string
  count: number
  goodUntil: string
}

const file = signal<File | undefined>(undefined)
const isOver = signal(false)
const count = signal<number | undefined>(undefined)
const failure = signal('')

/** The charges that are chosen, as a file that is made here and lies nowhere else. */
export function Download({ query }: { query: string }) {
  const made = file.value
  return (
    <section>
      <h2>{words.download}</h2>
      <div class="pair">
        <Button kind="secondary" busy={count.value !== undefined} onPress={() => void make(query, 'csv')}>
          {words.downloadCsv}
        </Button>
        <Button kind="secondary" busy={count.value !== undefined} onPress={() => void make(query, 'json')}>
          {words.downloadJson}
        </Button>
      </div>
      <p class="note" role="status">
        {count.value !== undefined && words.downloading(count.value)}
        {made !== undefined && words.downloadReady(made.count, time(made.goodUntil))}
        {isOver.value && words.downloadOver}
      </p>
      {made !== undefined && (
        <a class="button button-primary" href={made.url} download={made.name}>
          {words.save}
        </a>
      )}
      <Alert words={failure.value} />
    </section>
  )
}

function drop(): void {
  if (file.value === undefined) return
  URL.revokeObjectURL(file.value.url)
  file.value = undefined
  isOver.value = true
}

async function make(query: string, format: 'csv' | 'json'): Promise<void> {
  if (count.value !== undefined) return
  drop()
  isOver.value = false
  failure.value = ''
  count.value = 0
  try {
    const charges = await readAll(query)
    const text = format === 'csv' ? csvOf(charges) : JSON.stringify({ charges }, null, 1)
    const type = format === 'csv' ? 'text/csv;charset=utf-8' : 'application/json'
    const until = new Date(Date.now() + GOOD_MILLIS)
    file.value = {
      url: URL.createObjectURL(new Blob([text], { type })),
      name: `activity-${until.toISOString().slice(0, 10)}.${format}`,
      count: charges.length,
      goodUntil: until.toISOString(),
    }
    setTimeout(drop, GOOD_MILLIS)
  } catch (error) {
    failure.value = wordsFor(error)
  } finally {
    count.value = undefined
  }
}

async function readAll(query: string): Promise<ActivityCharge[]> {
  const all: ActivityCharge[] = []
  for (let before: string | null = ''; before !== null; count.value = all.length) {
    const asked = new URLSearchParams(query)
    asked.set('size', 'file')
    if (before !== '') asked.set('before', before)
    const { charges, next_before }: ActivityList = await get<ActivityList>(`activity?${asked}`)
    all.push(...charges)
    before = next_before
  }
  return all
}

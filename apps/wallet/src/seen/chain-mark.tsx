import type { ReceiptFile, ReceiptList } from '@mintmark/contract/wire/receipts'
import { get, Refusal } from '@mintmark/ui/backend.ts'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { wordsFor } from '../session.tsx'
import { words } from '../text/seen/words.ts'
import { Button } from '../ui.tsx'
import { type ChainHead, type ChainResult, checkChain } from './chain.ts'

const result = signal<ChainResult | 'checking' | 'failed'>('checking')

/** One calm mark: the receipts are all there, as they were signed. It is checked here, not at the service. */
export function ChainMark() {
  useEffect(() => void check(), [])
  const found = result.value
  return (
    <section class="chain" aria-label={words.chainTitle}>
      <p role="status" class={typeof found === 'object' && found.state === 'broken' ? 'warning' : 'chain-line'}>
        {typeof found === 'object' && found.state === 'whole' && <Tick />}
        <span>{textOf(found)}</span>
      </p>
      {found === 'failed' && (
        <Button kind="quiet" onPress={() => void check()}>
          {words.chainAgain}
        </Button>
      )}
    </section>
  )
}

function textOf(found: typeof result.value): string {
  if (found === 'checking') return words.chainChecking
  if (found === 'failed') return words.chainFailed
  if (found.state === 'none') return words.chainNone
  if (found.state === 'whole') return words.chainWhole(found.head.position)
  return `${words.chainBroken(found.position)} ${words.chainBrokenNext}`
}

function Tick() {
  return (
    <svg class="icon chain-tick" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M12 3L5 6v5c0 5 3 8 7 10 4-2 7-5 7-10V6z" />
      <path d="m9 12 2.2 2.2L15.5 10" />
    </svg>
  )
}

async function check(): Promise<void> {
  result.value = 'checking'
  try {
    const first = await get<ReceiptList>('receipts')
    const [newest] = first.receipts
    const chain = await idOf(first)
    const found = await checkChain({
      newest: async () => newest ?? null,
      behind: readBehind,
      seen: chain === null ? null : recall(chain),
    })
    if (found.state === 'whole' && chain !== null) remember(chain, found.head)
    result.value = found
  } catch (error) {
    wordsFor(error)
    result.value = 'failed'
  }
}

/** A file of none is not found. */
async function readBehind(position: number): Promise<Pick<ReceiptFile, 'keys' | 'receipts'>> {
  try {
    return await get<ReceiptFile>(position === 0 ? 'receipts/file' : `receipts/file?after=${position}`)
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return { keys: { keys: [] }, receipts: [] }
    throw error
  }
}

/** The name of a chain: the hash of its first receipt. */
async function idOf({ receipts, next_before }: ReceiptList): Promise<string | null> {
  if (next_before === null) return receipts.at(-1)?.sha256 ?? null
  const { receipts: oldest } = await get<ReceiptList>('receipts?before=2')
  return oldest[0]?.sha256 ?? null
}

const PLACE = 'receipts:'

function recall(chain: string): ChainHead | null {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(PLACE + chain) ?? 'null')
    return known as ChainHead | null
  } catch {
    return null
  }
}

/** Without a place to write to, each look begins anew. */
function remember(chain: string, head: ChainHead): void {
  try {
    localStorage.setItem(PLACE + chain, JSON.stringify(head))
  } catch {
    // The browser keeps nothing.
  }
}

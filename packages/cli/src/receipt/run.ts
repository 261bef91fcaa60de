import type { Receipt } from '@mintmark/contract/wire/receipts'
import { printableLine } from '../printable.ts'
import { oneLine, type Terminal } from '../terminal.ts'
import { parseFile, parseKeys, readBytes } from './file.ts'
import { type Finding, type Verified, verifyReceipts } from './verify.ts'

/** Says what a file proves. Throws when something in it was changed. */
export async function verifyFile(
  { file, keys }: { file: string; keys?: string | undefined },
  terminal: Terminal,
): Promise<void> {
  const given = parseFile(await readBytes(file))
  const trusted = keys === undefined ? null : parseKeys(await readBytes(keys))
  const verified = verifyReceipts(given, trusted)
  for (const line of linesOf(verified, terminal)) terminal.say(line)
  terminal.tell?.(answerOf(verified))
}

function linesOf({ receipts, file }: Verified, terminal: Terminal): string[] {
  const said = (findings: readonly Finding[]) =>
    findings.map((finding) => `  ${markOf(finding, terminal)}${printableLine(finding.text)}`)
  return [
    ...receipts.flatMap(({ receipt, findings }) => [titleOf(receipt, terminal), ...said(findings)]),
    terminal.paint('bold', receipts.length === 1 ? 'The receipt' : `All ${receipts.length} receipts`),
    ...said(file),
  ]
}

function markOf({ isProven }: Finding, { paint }: Terminal): string {
  return isProven ? `${paint('green', 'proven')}      ` : `${paint('yellow', 'not proven')}  `
}

function titleOf(receipt: Receipt, { paint }: Terminal): string {
  const { chain, act, outcome, code, amount, shop, agent, occurred_at, sentence } = receipt
  const what = code === null ? outcome : `${outcome}: ${code}`
  const parts = [
    ...[occurred_at, amount && `${amount.value} ${amount.currency}`, shop && `at ${shop.name}`],
    agent && `agent ${agent.name}`,
  ]
  const said = parts.filter((part) => part !== null).join(', ')
  const title = `${chain.position}. ${act} (${what}), ${said}`
  const quoted = sentence === null ? '' : `\n  “${oneLine(sentence.text, 2_000)}”`
  return paint('bold', oneLine(title, 400)) + quoted
}

function answerOf({ receipts, file }: Verified): object {
  const wire = (findings: readonly Finding[]) => findings.map(({ isProven, text }) => ({ proven: isProven, text }))
  return {
    file: wire(file),
    receipts: receipts.map(({ receipt, findings }) => ({ receipt, findings: wire(findings) })),
  }
}

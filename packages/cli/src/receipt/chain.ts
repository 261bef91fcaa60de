import { broken } from './file.ts'
import type { Signed } from './jws.ts'
import type { Finding } from './verify.ts'

/** Whether the receipts are all of a stretch of their chain. A fork, and a link that does not fit, throw. */
export function chainFindings(signed: readonly Signed[]): Finding[] {
  const gaps: string[] = []
  for (const [index, { receipt }] of signed.entries()) {
    const { position, previous } = receipt.chain
    if ((position === 1) !== (previous === null))
      throw broken(`The receipt ${position} does not begin the chain as it says.`)
    const before = signed[index - 1]
    if (before === undefined) continue
    const last = before.receipt.chain.position
    if (position <= last)
      throw broken(`The receipt ${position} comes after ${last}: the chain is out of order, or forked.`)
    if (position > last + 1) gaps.push(last + 2 === position ? `${last + 1}` : `${last + 1} to ${position - 1}`)
    else if (previous !== before.hash) throw broken(`The receipt ${position} does not follow the receipt ${last}.`)
  }
  return [
    ...stretch(signed, gaps),
    { isProven: false, text: 'That there is no later receipt: a file says nothing of what came after it.' },
  ]
}

function stretch(signed: readonly Signed[], gaps: readonly string[]): Finding[] {
  const positions = signed.map(({ receipt }) => receipt.chain.position)
  const [first = 0, last = 0] = [positions.at(0), positions.at(-1)]
  const missing = [...(first > 1 ? [first === 2 ? '1' : `1 to ${first - 1}`] : []), ...gaps]
  if (missing.length === 0)
    return [{ isProven: true, text: `No receipt is missing from 1 to ${last}: each names the hash of the one before.` }]
  return [{ isProven: false, text: `That the receipts are all: ${missing.join(', ')} are not in the file.` }]
}

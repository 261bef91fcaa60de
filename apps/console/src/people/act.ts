import { useState } from 'preact/hooks'
import { said } from '../parts/page.tsx'
import { readAgain } from '../reading.ts'
import { wordsFor } from '../session.ts'

/** Something that is done at a press: one at a time; what went wrong is told, and how things stand then is read. */
export function useAct(refusals: Readonly<Record<string, string>>) {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  async function act(work: () => Promise<unknown>, done = ''): Promise<boolean> {
    if (isBusy) return false
    setBusy(true)
    setFailure(null)
    try {
      await work()
      said.value = done
      return true
    } catch (error) {
      setFailure(wordsFor(error, refusals))
      return false
    } finally {
      setBusy(false)
      readAgain()
    }
  }
  return { isBusy, failure, setFailure, act }
}

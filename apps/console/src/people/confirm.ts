import type { ConsoleConfirmation, ConsoleConfirmationOptions } from '@mintmark/contract/wire/console-people'
import { post } from '@mintmark/ui/backend.ts'
import { usePasskey } from '@mintmark/ui/passkey.ts'

/** What the passkey says to exactly this act; null: there is none to ask, as in the demo account. */
export async function confirmed(act: ConsoleConfirmation): Promise<object | null> {
  const { options } = await post<ConsoleConfirmationOptions>('confirm', act)
  return options === null ? null : usePasskey(options)
}

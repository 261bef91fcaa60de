import { command } from '../db/command.ts'
import type { CeremonyScope, ClaimedChallenge, Keeping, Passkey, Subject } from '../passkeys/service.ts'
import { SILENT } from './acts.ts'
import type { ConsoleDeps } from './deps.ts'
import * as store from './passkey-store.ts'
import { sealedPasskey } from './seal.ts'

// Where passkeys of people are kept. They are made for the same party as those of cardholders, and are no such ones:
// none of them approves a payment, and none of a cardholder's opens the console.

/** What a visit or an act of a person is signed for. */
export const scopeOf = (
  { operatorId: merchantId }: ConsoleDeps,
  subject: Subject,
  personId: string,
): CeremonyScope => ({ merchantId, customerId: personId, subject, allowedOrigins: [] })

export const keepingOf = (deps: ConsoleDeps, personId: string): Keeping => ({
  sealed: (passkey) => sealedPasskey({ merchantId: deps.operatorId, personId }, passkey),
  async flag(passkeyId) {
    const { operatorId: merchantId, log } = deps
    await command(deps, { name: 'console.flag_passkey', why: SILENT, together: 'statement' }, ({ on, at }) =>
      store.updateFlagged(on, { merchantId, personId, passkeyId, at }),
    )
    log.error('the counter of a passkey went back', {
      ...{ alarm: 'passkey_flagged', merchant_id: merchantId, row_id: personId },
    })
  },
})

interface Answered {
  claimed: ClaimedChallenge | null
  passkey: Passkey | null
  /** The person whose passkey has answered; null: no person here has it. */
  personId: string | null
}

/** Uses up the challenge, and finds whose passkey has answered. */
export async function claim(
  deps: ConsoleDeps,
  subject: Subject,
  answer: { ceremony: 'registration' | 'assertion'; challenge: string; passkeyId: string },
): Promise<Answered> {
  const { operatorId: merchantId } = deps
  const place = { merchantId, subjectType: subject.type, subjectId: subject.id }
  const why = 'A used challenge is no change.'
  const found = await command(deps, { name: 'console.claim_challenge', why, together: 'statement' }, ({ on, at }) =>
    store.claimChallenge(on, { ...place, ...answer, at }),
  )
  const passkey = found?.passkey ?? null
  return {
    claimed: found?.claimed ?? null,
    passkey: passkey && { ...passkey, replaces: null, released: false, beside: [] },
    personId: passkey?.personId ?? null,
  }
}

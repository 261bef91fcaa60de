import type { CDPSession, Page } from 'playwright-core'

/** A platform authenticator as a phone or laptop has one, played by the browser. */
export interface Authenticator {
  credentials(): Promise<Credential[]>
  /** False: the person is there, but does not pass the screen lock. */
  setUserVerified(verified: boolean): Promise<void>
}

export type Credential = Awaited<ReturnType<typeof readCredentials>>[number]

/**
 * Gives a page, with the frames in it, an authenticator. Frames of other sites run in processes of their own, but
 * Chromium looks for a virtual authenticator up to the outermost page. A tab opened from it needs its own.
 */
export async function addAuthenticator(page: Page, credentials: Credential[] = []): Promise<Authenticator> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  for (const credential of credentials) await session.send('WebAuthn.addCredential', { authenticatorId, credential })
  return {
    credentials: () => readCredentials(session, authenticatorId),
    async setUserVerified(isUserVerified) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
  }
}

async function readCredentials(session: CDPSession, authenticatorId: string) {
  const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId })
  return credentials
}

// Guarantee: in production, over TLS and behind a proxy, a person becomes an owner and comes back: the cookie is of
// this host alone, the passkey is of the domain above it and the surface, and the page's own policy stops nothing of
// it.
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import { expect, it } from 'vitest'
import { startMailServer } from '../../src/mail/testing/mail-server.ts'
import { freePort } from '../processes/spawn.ts'
import { issue } from '../receivers/certificates.ts'
import { PRODUCTION, startTestService } from '../service.ts'
import { addAuthenticator } from './authenticator.ts'
import { describeInBrowser } from './browser.ts'
import { becomeOwner } from './owners.ts'

const HOST = 'owners.pay.test'

/** As an operator has it before the program: TLS ends here. */
async function startProxy(port: number, upstream: number) {
  const certificate = issue({ names: [HOST] })
  const server = createServer(certificate, (incoming, answer) => {
    const { url: path, method, headers } = incoming
    const onward = request({ host: '127.0.0.1', port: upstream, path, method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    incoming.pipe(onward)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const key = new X509Certificate(certificate.cert).publicKey.export({ type: 'spki', format: 'der' })
  return {
    port: (server.address() as AddressInfo).port,
    /** By which the browser trusts this certificate and no other. */
    trusted: createHash('sha256').update(key).digest('base64'),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

describeInBrowser('the page of owners in production', () => {
  it('signs a person up and in again, over TLS', async () => {
    const port = await freePort()
    const origin = `https://${HOST}:${port}`
    const mails = await startMailServer()
    const place = { SURFACE_URL: 'https://pay.test', OWNER_URL: origin, TRUST_PROXY: '127.0.0.1', SMTP_URL: mails.url }
    const service = await startTestService({ env: { ...PRODUCTION, ...place } })
    const proxy = await startProxy(port, Number(new URL(service.ownerUrl).port))
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
      args: [
        ...['--no-sandbox', '--disable-gpu', `--ignore-certificate-errors-spki-list=${proxy.trusted}`],
        `--host-resolver-rules=MAP ${HOST} 127.0.0.1, MAP * ~NOTFOUND`,
      ],
    })
    try {
      const page = await browser.newPage()
      const complaints: string[] = []
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(String(error)))
      const authenticator = await addAuthenticator(page)
      await page.goto(origin)
      await becomeOwner(page, service)
      await page.getByRole('heading', { name: 'Your agents' }).waitFor()
      const [cookie, ...others] = await page.context().cookies()
      expect(others).toEqual([])
      expect(cookie).toMatchObject({
        ...{ name: '__Host-mintmark_owner', domain: HOST, path: '/' },
        ...{ secure: true, httpOnly: true, sameSite: 'Strict' },
      })
      expect(await authenticator.credentials()).toMatchObject([{ rpId: 'pay.test', isResidentCredential: true }])
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await page.getByRole('heading', { name: 'Your agents' }).waitFor()
      expect(complaints.filter((text) => !text.includes('status of 401'))).toEqual([])
    } finally {
      await browser.close()
      await proxy.close()
      await service.close()
      await mails.stop()
    }
  })
})

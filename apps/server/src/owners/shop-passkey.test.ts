// Guarantee: a person becomes an owner with the passkey that they have made at a shop's payment, by their address and
// its signature, once; nothing of the shop's customer is shown, and no address, passkey or challenge of another person
// leads there.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askFor, askForLink, newAgent } from '../../test/agents.ts'
import { cardholder, launch } from '../../test/cardholder.ts'
import { secondDevice } from '../../test/devices.ts'
import { atOnce, CARDS, countBy, createSession, expectError, newUser } from '../../test/flows.ts'
import { NARROW } from '../../test/owner-examples.ts'
import {
  cookieOf,
  fromPage,
  newAddress,
  newAuthenticator,
  newOwner,
  provenVisit,
  signedIn,
  signIn,
} from '../../test/owners.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { createSoftwareAuthenticator } from '../passkeys/software-authenticator.ts'

let service: TestService
let node: TestService
beforeAll(async () => {
  service = await startTestService()
  node = await startTestService({ database: service.database })
})
afterAll(async () => {
  await node?.close()
  await service?.close()
})

type Passkey = ReturnType<typeof createSoftwareAuthenticator>
/** A passkey as a phone keeps it: it says at each use for whom it was made. */
function phone() {
  const settings = { seed: randomBytes(32), rpId: 'localhost' }
  let userHandle = randomBytes(48).toString('base64url')
  const at = (origin: string): Passkey => {
    const device = createSoftwareAuthenticator({ ...settings, origin })
    return {
      ...device,
      register(options) {
        userHandle = options.user.id
        return device.register(options)
      },
      authenticate(options) {
        const answer = device.authenticate(options)
        return { ...answer, response: { ...answer.response, userHandle } }
      },
    }
  }
  return { atShop: at(service.surfaceUrl), atWallet: at(service.ownerUrl) }
}

/** A person who has paid at a shop with a passkey that they made there. */
async function shopper() {
  const { atShop, atWallet } = phone()
  const user_id = newUser()
  const session = await createSession(service.merchant, { user_id })
  const visitor = cardholder(service, session.session_token, atShop)
  expect((await visitor.pay(CARDS.success)).body).toMatchObject({ outcome: 'approved' })
  return { atShop, atWallet, user_id }
}

/** The same passkey, used at another page than that of owners. */
const atShopOf = ({ credentialId, ...rest }: Passkey): Passkey => ({
  credentialId,
  ...rest,
  authenticate(options) {
    const answer = rest.authenticate(options)
    const said = JSON.parse(Buffer.from(answer.response.clientDataJSON, 'base64url').toString())
    const elsewhere = JSON.stringify({ ...said, origin: service.surfaceUrl })
    const clientDataJSON = Buffer.from(elsewhere).toString('base64url')
    return { ...answer, response: { ...answer.response, clientDataJSON } }
  },
})
async function signInBy(passkey: Passkey) {
  const { visit, options } = (await fromPage(service, '/api/sign-in/options')).body
  return fromPage(service, '/api/sign-in', { visit, response: passkey.authenticate(options) })
}
async function ownersWith({ credentialId }: Passkey): Promise<number> {
  const { rows } = await service.pool.query('select 1 as there from owner_passkeys where passkey_id = $1', [
    credentialId,
  ])
  return rows.length
}

const optionsOf = async (visit: string) => (await fromPage(service, '/api/owners/shop-passkey/options', { visit })).body
const become = (visit: string, response: object, on = service) =>
  fromPage(on, '/api/owners/shop-passkey', { visit, name: 'Ann', response })
async function answer(visit: string, passkey: Passkey) {
  return passkey.authenticate((await optionsOf(visit)).options)
}

test('the passkey of a payment opens the wallet of a new owner, who sees nothing of the shop, and signs there and at the page', async () => {
  const { atShop, atWallet, user_id } = await shopper()
  const before = (await fromPage(service, '/api/sign-in/options')).body
  const early = { visit: before.visit, response: atWallet.authenticate(before.options) }
  expectError(await fromPage(service, '/api/sign-in', early), 400, 'PASSKEY_FAILED')

  const visit = await provenVisit(service)
  const made = await become(visit, await answer(visit, atWallet))
  expect(made).toMatchObject({ status: 200, body: { name: 'Ann' } })
  const first = signedIn(service, atWallet, cookieOf(made))
  expect((await first.get('/api/cards')).body).toEqual({ cards: [] })
  expect((await first.get('/api/home')).body).toMatchObject({ agents: [], waiting: [] })
  expect((await first.get('/api/passkeys')).body.passkeys).toMatchObject([{ of_shop: true, current: true }])

  const owner = await signIn(service, atWallet)
  expect((await owner.get('/api/session')).body).toMatchObject({ name: 'Ann' })
  // It approves at the wallet, and at the page of cardholders what an agent asks its owner for.
  const agent = newAgent(service)
  const linkId = await askForLink(agent)
  const { options } = (await owner.post(`/api/links/${linkId}/approval-options`, { limits: NARROW })).body
  const response = atWallet.authenticate(options)
  expect((await owner.post(`/api/links/${linkId}/approve`, { response })).status).toBe(200)
  const { agent_id } = (await agent.send('GET', `/v1/agents/links/${linkId}`)).body
  const pair = { privateKey: agent.privateKey, publicKey: agent.privateKey }
  const { payment_url } = (await askFor(newAgent(service, agent_id, pair), { total_amount: '5.00' })).body
  const { session_token } = (await launch(service, payment_url)).body
  const page = cardholder(service, session_token, atShop)
  await page.enterCard(CARDS.success)
  expect((await page.approve()).body).toMatchObject({ outcome: 'approved' })
  expect((await owner.get('/api/cards')).body.cards).toHaveLength(1)

  // At the shop everything is as it was: the card there, and the passkey.
  const again = cardholder(service, (await createSession(service.merchant, { user_id })).session_token, atShop)
  const { cards } = (await again.get('/api/session')).body
  expect(cards).toHaveLength(1)
  await again.post('/api/cards/select', { card_id: cards[0].card_id })
  expect((await again.approve()).body).toMatchObject({ outcome: 'approved' })
})

describe('what leads nowhere', () => {
  test('a visit that has proven nothing, a challenge of another visit or to sign in with, and one that was used', async () => {
    const { atWallet } = await shopper()
    const unproven = (await fromPage(service, '/api/sign-up', { email: newAddress() })).body.visit
    expectError(await fromPage(service, '/api/owners/shop-passkey/options', { visit: unproven }), 400, 'INVALID_STATE')
    const visit = await provenVisit(service)
    const other = await provenVisit(service)
    expectError(await become(visit, await answer(other, atWallet)), 400, 'PASSKEY_FAILED')
    const signing = (await fromPage(service, '/api/sign-in/options')).body
    expectError(await become(visit, atWallet.authenticate(signing.options)), 400, 'PASSKEY_FAILED')
    expectError(await become(signing.visit, atWallet.authenticate(signing.options)), 400, 'INVALID_STATE')
    const response = await answer(visit, atWallet)
    expect((await become(visit, response)).status).toBe(200)
    for (const on of [service, node]) expectError(await become(visit, response, on), 400, 'INVALID_STATE')
  })

  test('a passkey of no shop, of another person, or for another customer', async () => {
    const { atWallet } = await shopper()
    const bob = await shopper()
    const visit = await provenVisit(service)
    expectError(await become(visit, await answer(visit, phone().atWallet)), 400, 'PASSKEY_FAILED')
    // Ann's name with Bob's signature, and what the browser would say of Bob's.
    const [ofAnn, ofBob] = [await answer(visit, atWallet), await answer(visit, bob.atWallet)]
    const { userHandle } = ofBob.response
    expectError(await become(visit, { ...ofBob, id: ofAnn.id, rawId: ofAnn.rawId }), 400, 'PASSKEY_FAILED')
    const again = await answer(visit, atWallet)
    for (const handle of [userHandle, undefined])
      expectError(
        await become(visit, { ...again, response: { ...again.response, userHandle: handle } }),
        400,
        'PASSKEY_FAILED',
      )
    expectError(await become(visit, await answer(visit, atShopOf(atWallet))), 400, 'PASSKEY_FAILED')
    expect((await become(visit, await answer(visit, atWallet))).status).toBe(200)
  })

  test('one that has ended at the shop, or of which there may be a copy', async () => {
    for (const [set, code] of [
      ['retired_at = now()', 'PASSKEY_FAILED'],
      ['flagged_at = now()', 'PASSKEY_BLOCKED'],
    ]) {
      const { atWallet } = await shopper()
      await service.pool.query(`update passkeys set ${set} where id = $1`, [atWallet.credentialId])
      const visit = await provenVisit(service)
      const refused = await become(visit, await answer(visit, atWallet))
      expect([refused.status, refused.body.error.details?.reason ?? refused.body.error.code]).toEqual([400, code])
    }
  })

  test('an address of another owner, who stays as they are', async () => {
    const address = newAddress()
    const ann = await newOwner(service, 'Ann', address)
    const { atWallet } = await shopper()
    const visit = await provenVisit(service, address.toUpperCase())
    expectError(await become(visit, await answer(visit, atWallet)), 400, 'INVALID_STATE')
    expect((await ann.get('/api/passkeys')).body.passkeys).toHaveLength(1)
    expectError(await signInBy(atWallet), 400, 'PASSKEY_FAILED')
  })

  test('one that is an owner’s, also once they have ended it', async () => {
    const { atWallet } = await shopper()
    const [first, second] = [await provenVisit(service), await provenVisit(service)]
    const made = await become(first, await answer(first, atWallet))
    const inUse = { status: 400, body: { error: { details: { reason: 'PASSKEY_IN_USE' } } } }
    expect(await become(second, await answer(second, atWallet))).toMatchObject(inUse)
    const ann = signedIn(service, atWallet, cookieOf(made))
    const other = await secondDevice(service, ann)
    const [{ passkey_id }] = (await other.get('/api/passkeys')).body.passkeys
    expect((await other.post(`/api/passkeys/${passkey_id}/end`)).status).toBe(200)
    expectError(await signInBy(atWallet), 400, 'PASSKEY_FAILED')
    expect(await become(second, await answer(second, atWallet))).toMatchObject(inUse)
    // One that an owner has made at the wallet opens it without an address.
    const own = phone().atWallet
    const third = await provenVisit(service)
    const { options } = (await fromPage(service, '/api/owners/options', { visit: third, name: 'Bea' })).body
    const bea = { visit: third, name: 'Bea', response: own.register(options) }
    expect((await fromPage(service, '/api/owners', bea)).status).toBe(200)
    expect(await become(second, await answer(second, own))).toMatchObject(inUse)
  })
})

describe('at the same moment, over two nodes', () => {
  const on = (index: number) => (index % 2 === 0 ? service : node)
  const statuses = (answers: readonly { status: number }[]) => countBy(answers, ({ status }) => status)

  test('one visit makes one owner', async () => {
    const { atWallet } = await shopper()
    const visit = await provenVisit(service)
    const responses = await Promise.all(Array.from({ length: 8 }, () => answer(visit, atWallet)))
    const made = await atOnce(8, (index) => become(visit, responses[index] ?? {}, on(index)))
    expect(statuses(made)).toEqual({ 200: 1, 400: 7 })
    expect(await ownersWith(atWallet)).toBe(1)
  })

  test('one passkey opens one wallet, whatever addresses are proven', async () => {
    const { atWallet } = await shopper()
    const visits = await Promise.all(Array.from({ length: 6 }, () => provenVisit(service)))
    const responses = await Promise.all(visits.map((visit) => answer(visit, atWallet)))
    const made = await atOnce(6, (index) => become(visits[index] ?? '', responses[index] ?? {}, on(index)))
    expect(statuses(made)).toEqual({ 200: 1, 400: 5 })
    expect(await ownersWith(atWallet)).toBe(1)
  })

  test('one address is of one owner, whether they make a passkey or bring one', async () => {
    const address = newAddress()
    const shoppers = await Promise.all(Array.from({ length: 3 }, () => shopper()))
    const visits: string[] = []
    for (const _ of shoppers) visits.push(await provenVisit(service, address))
    const responses = await Promise.all(shoppers.map(({ atWallet }, index) => answer(visits[index] ?? '', atWallet)))
    const visit = await provenVisit(service, address)
    const { options } = (await fromPage(service, '/api/owners/options', { visit, name: 'Ann' })).body
    const response = newAuthenticator(service).register(options)
    const made = await atOnce(4, (index) =>
      index === 3
        ? fromPage(service, '/api/owners', { visit, name: 'Ann', response })
        : become(visits[index] ?? '', responses[index] ?? {}, on(index)),
    )
    expect(statuses(made)).toEqual({ 200: 1, 400: 3 })
  })
})

test('a stranger who has stored another key under the same name stands in no person’s way, and gets in as none', async () => {
  const ann = await shopper()
  const eve = await shopper()
  // As if Eve's authenticator had called its own key by the name of Ann's, at another shop.
  await service.pool.query(
    `insert into merchants select (jsonb_populate_record(merchants, jsonb_build_object('id', 'ma_elsewhere'))).*
     from merchants where id = (select merchant_id from passkeys where id = $1)`,
    [ann.atWallet.credentialId],
  )
  await service.pool.query(
    `insert into customers select (jsonb_populate_record(customers, jsonb_build_object('merchant_id', 'ma_elsewhere'))).*
     from customers where id = (select customer_id from passkeys where id = $1)`,
    [eve.atWallet.credentialId],
  )
  await service.pool.query(
    `insert into passkeys select (jsonb_populate_record(passkeys, jsonb_build_object('merchant_id', 'ma_elsewhere', 'id', $2::text))).*
     from passkeys where id = $1`,
    [eve.atWallet.credentialId, ann.atWallet.credentialId],
  )
  const visit = await provenVisit(service)
  const asAnn = {
    ...(await answer(visit, eve.atWallet)),
    id: ann.atWallet.credentialId,
    rawId: ann.atWallet.credentialId,
  }
  expectError(await become(visit, asAnn), 400, 'PASSKEY_FAILED')
  expect((await become(visit, await answer(visit, ann.atWallet))).status).toBe(200)
})

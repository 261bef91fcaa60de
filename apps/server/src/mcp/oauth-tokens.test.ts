// Guarantee: a code gives tokens once, a refresh token once and again to its own client that did not hear the answer, and all of them end with
// their agent, on every node (faults G2, G4).
import { afterAll, describe, expect, test } from 'vitest'
import { dbRow } from '../../test/flows.ts'
import {
  approve,
  askOwner,
  callerOf,
  callTool,
  digestOf,
  goOn,
  grantOf,
  linkedClient,
  newVerifier,
  refresh,
  startToolParty,
  trade,
} from '../../test/tool-clients.ts'

const party = await startToolParty({ isForCrowds: true })
const { service, documents, clientId } = party
afterAll(party.close)

describe('tokens', () => {
  test('of one code are given once, however many come with it; a code that is used again ends them', async () => {
    const grant = await grantOf(service, await askOwner(service, { clientId }))
    const answers = await Promise.all(Array.from({ length: 8 }, () => trade(service, grant)))
    const given = answers.filter(({ status }) => status === 200)
    expect(given.length).toBeLessThanOrEqual(1)
    const again = await trade(service, grant)
    expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    for (const { body } of given) expect(await callerOf(service, body.access_token)).toBeUndefined()
  })

  test('are for whoever began: not with another verifier, address, client or resource', async () => {
    const grant = await grantOf(service, await askOwner(service, { clientId }))
    for (const other of [{ verifier: newVerifier() }, { clientId: documents.url('/second.json') }]) {
      await expect(trade(service, { ...grant, ...other })).resolves.toMatchObject({ status: 400 })
    }
    for (const changes of [{ redirect_uri: 'http://127.0.0.1:10/callback' }, { resource: 'https://other.example' }]) {
      expect((await trade(service, grant, changes)).status).toBe(400)
    }
  })

  /** As if it had been used so long ago. */
  const usedBefore = async (refreshToken: string, seconds: number) => {
    await service.pool.query(
      `update oauth_entries set consumed_at = consumed_at - make_interval(secs => $1) where digest = $2`,
      [seconds, digestOf('RefreshToken', refreshToken)],
    )
  }

  test('are refreshed once each, by their client alone; one that is used again later ends all', async () => {
    const linked = await linkedClient(service, { clientId })
    const foreign = await refresh(service, { ...linked, clientId: documents.url('/second.json') })
    expect(foreign).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const next = await refresh(service, linked)
    expect(next).toMatchObject({ status: 200, body: { refresh_token: expect.any(String) } })
    expect(next.body.refresh_token).not.toBe(linked.refreshToken)
    expect(await callerOf(service, next.body.access_token)).toMatchObject({ agent_id: linked.agentId })
    await usedBefore(linked.refreshToken, 31)
    expect((await refresh(service, linked)).status).toBe(400)
    expect(await callerOf(service, next.body.access_token)).toBeUndefined()
    expect((await refresh(service, { ...linked, refreshToken: next.body.refresh_token })).status).toBe(400)
  })

  test('are given again to a client that did not hear the answer: the same, by all nodes, however many ask', async () => {
    const node = await party.startNode()
    const linked = await linkedClient(service, { clientId })
    const places = [service, node, service, node, service, node, service, node]
    const answers = await Promise.all(places.map((place) => refresh(place, linked)))
    expect(answers.map(({ status }) => status)).toEqual(places.map(() => 200))
    expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(1)
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)

    await usedBefore(linked.refreshToken, 10)
    const again = await refresh(node, linked)
    const tokens = { access_token: again.body.access_token, refresh_token: again.body.refresh_token }
    expect(answers[0]?.body).toMatchObject(tokens)
    expect(await callerOf(service, again.body.access_token)).toMatchObject({ agent_id: linked.agentId })
    await node.close()
  })

  test('that were given again go on as one chain, also when what they follow from is asked for once more', async () => {
    const linked = await linkedClient(service, { clientId })
    const first = await refresh(service, linked)
    const next = { clientId, refreshToken: first.body.refresh_token }
    const second = await refresh(service, next)
    expect((await refresh(service, linked)).body.refresh_token).toBe(first.body.refresh_token)
    expect((await refresh(service, next)).body).toMatchObject({
      access_token: second.body.access_token,
      refresh_token: second.body.refresh_token,
    })
    expect(await callerOf(service, second.body.access_token)).toMatchObject({ agent_id: linked.agentId })
  })

  test('are given again to their own client alone, and not when the agent has ended', async () => {
    const linked = await linkedClient(service, { clientId })
    const { body } = await refresh(service, linked)
    const foreign = await refresh(service, { ...linked, clientId: documents.url('/second.json') })
    expect(foreign).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await callerOf(service, body.access_token)).toMatchObject({ agent_id: linked.agentId })
    await service.app.agentOperations.revoke(linked.agentId)
    expect((await refresh(service, linked)).status).toBe(400)
    expect(await callerOf(service, body.access_token)).toBeUndefined()
  })

  test('end with their agent, at once and on every node, each of which goes on with what another has begun', async () => {
    const node = await party.startNode()
    const asking = await askOwner(service, { clientId })
    const continueUrl = await approve(service, asking.linkId)
    const told = await goOn(asking.browser, continueUrl.replace(service.apiUrl, node.apiUrl))
    const { body } = await trade(service, { ...asking, code: told.get('code') ?? '' })
    expect((await callTool(node, body.access_token, 'get_agent')).status).toBe(200)
    const { agent_id } = await callerOf(service, body.access_token)
    await service.app.agentOperations.revoke(agent_id)
    expect((await callTool(node, body.access_token, 'get_agent')).status).toBe(401)
    await node.close()

    const linked = await linkedClient(service, { clientId })
    expect(await callerOf(service, linked.token)).toMatchObject({ agent_id: linked.agentId })
    await service.app.agentOperations.revoke(linked.agentId)
    expect(await callerOf(service, linked.token)).toBeUndefined()
    expect(await refresh(service, linked)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('are stored as hashes, and what they stand for encrypted', async () => {
    const linked = await linkedClient(service, { clientId })
    const { body } = await refresh(service, linked)
    const { rows } = await service.pool.query('select * from oauth_entries')
    const all = JSON.stringify(rows)
    const tokens = [linked.token, linked.refreshToken, body.access_token, body.refresh_token]
    for (const secret of [...tokens, clientId]) expect(all).not.toContain(secret)
  })

  test('that are over are deleted', async () => {
    const { token } = await linkedClient(service, { clientId })
    await service.pool.query("update oauth_entries set expires_at = now() - interval '1 hour'")
    expect(await callerOf(service, token)).toBeUndefined()
    await service.job('mcp.delete_expired').run()
    expect(await dbRow(service, 'select count(*)::int as left from oauth_entries')).toEqual({ left: 0 })
  })
})

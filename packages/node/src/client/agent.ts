import { createPublicKey, type KeyObject, sign } from 'node:crypto'
import { asKeyObject, type PrivateKey } from '../agent/key.ts'
import { openPayload } from '../agent/open-payload.ts'
import { signRequest } from '../agent/sign-request.ts'
import { type ShopSigning, signShopRequest } from '../agent/sign-shop-request.ts'
import { checkSigningKey, type RequestToSign, thumbprintOf } from '../agent/signature.ts'
import type {
  ChangeAgentRequest,
  CreateAgentSessionRequest,
  EncryptedPayload,
  LinkAgentRequest,
  Operations,
  ReportStatusRequest,
} from '../api-types.ts'
import { type ConnectionOptions, checkAddress } from '../connection.ts'
import { type Call, type CallOptions, createCall } from './call.ts'
import { everyItem } from './lists.ts'
import { type Charges, chargesOf, type Mandates, mandatesOf } from './mandates.ts'
import { isUnderWay, untilSettled, type WaitOptions } from './wait.ts'

export interface MintmarkAgentOptions extends ConnectionOptions {
  /** The agent's Ed25519 key: PEM (PKCS #8), a JWK or a `KeyObject`. It signs every request, and is never sent. */
  key: PrivateKey
  /** The agent's id. Default: the thumbprint of the key, which names it before it is linked, and after. */
  keyId?: string | undefined
  /** An X25519 key, to which cards are encrypted. Default: `key`, mapped. */
  encryptionKey?: PrivateKey | undefined
  /** How often a failed call is repeated, each time signed anew. Default: 4. */
  retries?: number | undefined
}

interface Keys {
  key: KeyObject
  encryptionKey: KeyObject | undefined
  keyId: string | undefined
}

/** The main API, for software that pays for its owner. What it throws is what `Mintmark` throws. */
export class MintmarkAgent {
  /** The name of the key (RFC 7638). */
  readonly thumbprint: string
  readonly links: AgentLinks
  readonly me: AgentSelf
  readonly sessions: AgentSessions
  readonly mandates: Mandates
  readonly charges: Charges
  /** Any operation by its `operationId`. */
  readonly call: Call
  /** The headers that show a shop which agent asks, signed with the same key: see the function of this name. */
  readonly signShopRequest: (request: RequestToSign, signing: Omit<ShopSigning, 'privateKey'>) => Record<string, string>
  /** Opens `encrypted_payload` of a charge or a result. Keep what comes back no longer than the payment takes, and out of logs and models. */
  readonly open: (payload: EncryptedPayload) => ReturnType<typeof openPayload>

  constructor(options: MintmarkAgentOptions) {
    checkAddress(options.apiUrl)
    const { keyId } = options
    const key = checkSigningKey(options.key)
    const encryptionKey = options.encryptionKey === undefined ? undefined : asKeyObject(options.encryptionKey)
    const keys = { key, encryptionKey, keyId }
    const call = createCall(options, signedBy(keys))
    this.call = call
    this.thumbprint = thumbprintOf(key)
    // A link is asked for by the thumbprint: there is no id yet.
    this.links = linksOf(createCall(options, signedBy({ ...keys, keyId: undefined })), keys)
    this.me = selfOf(call, keys)
    this.sessions = agentSessionsOf(call)
    this.mandates = mandatesOf(call)
    this.charges = chargesOf(call)
    this.signShopRequest = (request, signing) => signShopRequest(request, { ...signing, privateKey: key })
    this.open = (payload) => openPayload(payload, encryptionKey ?? key)
  }
}

const signedBy =
  ({ key, keyId }: Keys) =>
  (request: { method: string; url: string; body?: string | undefined }) =>
    signRequest(
      { ...request, body: request.body ?? null },
      { privateKey: key, ...(keyId === undefined ? {} : { keyId }) },
    )

/** As they are sent, public halves alone. */
function publicKeys({ key, encryptionKey }: Pick<Keys, 'key' | 'encryptionKey'>) {
  const spki = (of: KeyObject) => createPublicKey(of).export({ format: 'der', type: 'spki' })
  return {
    public_key: spki(key).toString('base64'),
    ...(encryptionKey && { encryption_key: spki(encryptionKey).subarray(-32).toString('base64') }),
  }
}

export interface AgentLinks extends ReturnType<typeof linksOf> {}

const linksOf = (call: Call, keys: Keys) => {
  const get = (linkId: string, options?: CallOptions) => call('getAgentLink', { params: { linkId } }, options)
  return {
    /** Asks an owner to link this key. Show `link_url` to the person who is to own the agent. */
    create: (agent: Omit<LinkAgentRequest, 'public_key' | 'encryption_key'>, options?: CallOptions) =>
      call('linkAgent', { body: { ...publicKeys(keys), ...agent } }, options),
    get,
    /** How it ended: `approved` with the `agent_id`, `denied` or `expired`. */
    wait: (linkId: string, options: WaitOptions = {}) => untilSettled(() => get(linkId, options), isUnderWay, options),
  }
}

export interface NewAgentKey {
  key: PrivateKey
  encryptionKey?: PrivateKey | undefined
  /** How long the old key goes on. Default: a day. */
  oldKeySeconds?: number | undefined
}

export interface AgentSelf extends ReturnType<typeof selfOf> {}

const selfOf = (call: Call, keys: Keys) => {
  const get = (options?: CallOptions) => call('getAgent', {}, options)
  return {
    /** Which agent it is, what its owner allows, and what of it is left. */
    get,
    change: (changes: ChangeAgentRequest, options?: CallOptions) => call('changeAgent', { body: changes }, options),
    /** Another key in place of this one. Both sign. Go on with a `MintmarkAgent` that has the new one. */
    async changeKey({ key: given, encryptionKey, oldKeySeconds }: NewAgentKey, options?: CallOptions) {
      const key = checkSigningKey(given)
      const { agent_id: agentId } = await get(options)
      const lines = ['mintmark-agent-key-change', agentId, thumbprintOf(keys.key), thumbprintOf(key)]
      const proof = sign(null, Buffer.from(lines.join('\n')), key).toString('base64')
      const box = encryptionKey === undefined ? undefined : asKeyObject(encryptionKey)
      const body = { ...publicKeys({ key, encryptionKey: box }), proof, old_key_seconds: oldKeySeconds }
      return call('changeAgentKey', { body }, options)
    },
  }
}

export interface AgentSessions extends ReturnType<typeof agentSessionsOf> {}

const agentSessionsOf = (call: Call) => {
  const result = (sessionId: string, options?: CallOptions) =>
    call('getAgentPaymentResult', { params: { sessionId } }, options)
  return {
    /** Asks the owner for a purchase, or with `mandate_setup` for a standing mandate. Show `approval`, and give them `payment_url`. */
    create: (session: CreateAgentSessionRequest, options?: CallOptions) =>
      call('createAgentSession', { body: session }, options),
    /** One page of those that this agent has asked for, newest first. One that waits has its `payment_url`. */
    list: (query: Operations['listAgentSessions']['query'] = {}, options?: CallOptions) =>
      call('listAgentSessions', { query }, options),
    /** All of them, page by page as they are asked for. */
    all: (query: Omit<Operations['listAgentSessions']['query'], 'cursor'> = {}, options?: CallOptions) =>
      everyItem(
        (cursor) => call('listAgentSessions', { query: { ...query, cursor } }, options),
        ({ sessions }) => sessions,
      ),
    /** How it stands; in `awaiting_result` with the card, encrypted. */
    result,
    /** The result, once the owner and the network are done: every status but `pending` and `processing`. */
    waitForResult: (sessionId: string, options: WaitOptions = {}) =>
      untilSettled(() => result(sessionId, options), isUnderWay, options),
    /** What became of the purchase. The same report again has the first result. */
    report: (sessionId: string, report: ReportStatusRequest, options?: CallOptions) =>
      call('reportAgentStatus', { params: { sessionId }, body: report }, options),
  }
}

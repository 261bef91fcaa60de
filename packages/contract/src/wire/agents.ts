import { type Static, Type } from 'typebox'
import {
  AGENT_LINK_STATUSES,
  AGENT_OLD_KEY_SECONDS,
  AGENT_SCOPES,
  CHARGE_LIMITS,
  ESCALATION_STATUSES,
  LIMIT_KINDS,
} from '../agents.ts'
import { Amount, AmountOrZero, CurrencyCode, dateTime, displayName, optionalFreeText, reference } from './common.ts'
import { about, nullable, oneOf, STRICT, text } from './schema.ts'
import { Sentence } from './sentence.ts'

const PublicKey = Type.String({
  pattern: '^[A-Za-z0-9+/]{59}=$',
  'x-message': 'must be an Ed25519 public key: SPKI (DER) in base64, 60 characters',
  description: 'An Ed25519 public key: SPKI (DER) in base64.',
  examples: ['MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='],
})
const EncryptionKey = Type.String({
  pattern: '^[A-Za-z0-9+/]{43}=$',
  'x-message': 'must be an X25519 public key: its 32 bytes in base64, 44 characters',
  description:
    'An X25519 public key, its 32 bytes in base64, to which payloads are encrypted. Without it they are encrypted to `public_key`, mapped to X25519.',
  examples: ['hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo='],
})
const coordinate = (name: string) =>
  Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', 'x-message': 'must be 32 bytes in base64url', description: name })
const MandateKey = Type.Object(
  {
    kty: Type.Literal('EC', { description: 'The kind of key.' }),
    crv: Type.Literal('P-256', { description: 'The curve.' }),
    x: coordinate('The x coordinate.'),
    y: coordinate('The y coordinate.'),
  },
  {
    ...STRICT,
    title: 'MandateKey',
    description: 'A P-256 public key (JWK), for signed mandates of drafts that want one.',
  },
)
const KEYS = {
  public_key: PublicKey,
  encryption_key: Type.Optional(EncryptionKey),
  mandate_key: Type.Optional(MandateKey),
}

const NAME = displayName(100, 'What the owner reads: the name of the agent.', 'Pantry')
const PLATFORM = optionalFreeText(50, 'Where it runs.', 'Acme Assistant')
const DESCRIPTION = optionalFreeText(500, 'What it does, in the words of its maker.', 'Orders groceries.')

export const LinkAgentBody = Type.Object(
  { ...KEYS, name: NAME, platform: PLATFORM, description: DESCRIPTION },
  { ...STRICT, title: 'LinkAgentRequest', description: 'Who asks to be linked.' },
)
export type LinkAgentBody = Static<typeof LinkAgentBody>

export const LinkAgentResponse = Type.Object(
  {
    link_id: text('The link.', 'lk_01jd3x8p6v0q4r5s6t7w8x9yza'),
    link_url: text('Where the owner approves or denies it.'),
    expires_at: dateTime('Until when: 15 minutes.'),
  },
  { title: 'AgentLink', description: 'A link that waits for its owner.' },
)
export type LinkAgentResponse = Static<typeof LinkAgentResponse>

export const LinkParams = Type.Object({ linkId: Type.String({ maxLength: 64, description: 'The link.' }) })

export const AgentLinkStatusResponse = Type.Object(
  {
    status: oneOf(AGENT_LINK_STATUSES, { title: 'AgentLinkStatus', description: 'How the link stands.' }),
    agent_id: Type.Optional(text('The agent that it has become; once `approved`.')),
  },
  { title: 'AgentLinkStanding', description: 'How a link stands.' },
)
export type AgentLinkStatusResponse = Static<typeof AgentLinkStatusResponse>

const Hours = Type.Object(
  {
    from: Type.String({
      pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
      'x-message': 'must be a time, HH:MM',
      description: 'From.',
    }),
    to: Type.String({
      pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
      'x-message': 'must be a time, HH:MM',
      description: 'To.',
    }),
    zone: reference(64, 'The time zone, by its name.', 'Europe/Berlin'),
  },
  { ...STRICT, title: 'AgentHours', description: 'When it may pay, each day.' },
)

/** What an owner allows an agent. Part of what the passkey signs. */
export const AgentLimits = Type.Object(
  {
    currency: about('The one currency that it may pay in.', CurrencyCode),
    charge: nullable(Amount, 'The most a charge; null: no limit.'),
    day: nullable(Amount, 'The most a day (UTC).'),
    month: nullable(Amount, 'The most a calendar month (UTC).'),
    open: nullable(Type.Integer({ minimum: 1, maximum: 1000 }), 'How many charges may be open at once.'),
    merchants: nullable(
      Type.Array(Type.String({ maxLength: 253 }), { minItems: 1, maxItems: 50 }),
      'Hosts of the shops that it may pay; null: any.',
    ),
    hours: nullable(Hours, 'When it may pay; null: at any time.'),
    ask_above: nullable(AmountOrZero, 'Charges of more than this ask the owner first.'),
    ask_repeats: Type.Optional(
      Type.Boolean({
        description:
          'Whether a charge that is like another of the last five minutes (shop, amount and lines) asks the owner first, also under another reference.',
      }),
    ),
  },
  { ...STRICT, title: 'AgentLimits', description: 'What the owner allows.' },
)
export type AgentLimits = Static<typeof AgentLimits>

/** What an owner signs to allow one charge of an agent beyond a limit. */
export const EscalationTerms = Type.Object({
  type: Type.Literal('escalation'),
  escalation_id: Type.String(),
  agent: Type.Object({ id: Type.String(), name: Type.String() }),
  mandate_id: Type.String(),
  reference: Type.String(),
  amount: Type.String(),
  currency: Type.String(),
  payee: Type.Object({ name: Type.String(), url: Type.String(), country: Type.String() }),
  limit: oneOf(CHARGE_LIMITS),
  sentence: Sentence,
})
export type EscalationTerms = Static<typeof EscalationTerms>

/** Software that an owner lets in by the tool protocol. It signs nothing: the address that answers go to says which one it is. */
export const AgentClient = Type.Object(
  {
    host: nullable(Type.String(), 'The host that describes it; null: it describes itself, and nobody has looked.'),
    redirect_host: text(
      'Where the answer goes: a host, or the scheme of a program on the owner’s machine.',
      'app.example',
    ),
    scopes: Type.Array(oneOf(AGENT_SCOPES), { description: 'What it asks for.' }),
  },
  { title: 'AgentClient', description: 'A client of the tool protocol.' },
)
export type AgentClient = Static<typeof AgentClient>

/** The software that asks an owner, as they read and sign it. */
const ASKING = {
  link_id: Type.String(),
  name: Type.String(),
  platform: nullable(Type.String()),
  description: nullable(Type.String()),
  /** Where it asks by a key; else `client`. */
  key_thumbprint: Type.Optional(Type.String()),
  client: Type.Optional(AgentClient),
}

/** What an owner signs to link an agent. */
export const AgentTerms = Type.Object({
  type: Type.Literal('agent_link'),
  ...ASKING,
  agent_id: Type.String(),
  limits: AgentLimits,
  sentence: Sentence,
})
export type AgentTerms = Static<typeof AgentTerms>

/** What an owner signs to say that it is an agent that they have, which gets a key or a client beside what it has. Its limits stay. */
export const JoinTerms = Type.Object({
  type: Type.Literal('agent_join'),
  ...ASKING,
  agent: Type.Object({ id: Type.String(), name: Type.String() }),
  limits: AgentLimits,
  sentence: Sentence,
})
export type JoinTerms = Static<typeof JoinTerms>

/** What an owner signs to give an agent other limits: all of them as they are and as they are to be, and the sentence of what changes. */
export const LimitsTerms = Type.Object({
  type: Type.Literal('agent_limits'),
  change_id: Type.String(),
  agent: Type.Object({ id: Type.String(), name: Type.String() }),
  /** The version of the limits that are changed: 1 at first, and one more by each change. */
  version: Type.Integer(),
  was: AgentLimits,
  limits: AgentLimits,
  sentence: Sentence,
})
export type LimitsTerms = Static<typeof LimitsTerms>

const LimitStanding = Type.Object(
  {
    kind: oneOf(LIMIT_KINDS, { title: 'AgentLimitKind', description: 'What is limited.' }),
    limit: text('The limit, as text.', '200.00'),
    used: nullable(Type.String(), 'What of it is used; null where nothing adds up.'),
    left: nullable(Type.String(), 'What is left of it.'),
    renews_at: nullable(Type.String({ format: 'date-time' }), 'When it begins anew; of `hours`, when they begin next.'),
  },
  { title: 'AgentLimit', description: 'One limit, and what is left of it.' },
)

const Waiting = Type.Object(
  {
    type: oneOf(['charge', 'session'], {
      title: 'WaitingType',
      description:
        '`charge`: a question about one that a limit has refused. `session`: a purchase or a mandate to approve.',
    }),
    id: text('The question (`esc_`), or the session (`sess_`).', 'esc_01jd3x8p6v0q4r5s6t7v8w9xyz'),
    mandate_id: nullable(Type.String(), 'That is charged, or is to be approved; null of a purchase.'),
    reference: nullable(Type.String(), 'Of the charge: send the same one again. Null of a session.'),
    amount: text('What it is.', '45.00'),
    currency: text('Of the amount.', 'USD'),
    merchant: Type.Object(
      { name: text('Its name.', 'Tea House'), url: text('Its address.') },
      { title: 'WaitingMerchant', description: 'The shop.' },
    ),
    limit: nullable(
      oneOf(CHARGE_LIMITS, { title: 'ChargeLimit', description: 'What refuses the charge.' }),
      'Of a charge; null of a session.',
    ),
    url: text('Where the owner answers. Show it to your owner, and to nobody else.'),
    expires_at: dateTime('Until when the owner can answer.'),
  },
  { title: 'WaitingForOwner', description: 'What waits for the owner.' },
)

export const AgentMe = Type.Object(
  {
    agent_id: text('The agent.', 'aa_01jd3x8p6v0q4r5s6t7w8x9yza'),
    name: text('Its name.'),
    platform: nullable(Type.String(), 'Where it runs.'),
    description: nullable(Type.String(), 'What it does.'),
    owner: text('Whose it is: a name that no other agent sees.', 'own_3m5n7p9q1r3s5t7v9w1x3y5z7a'),
    key_thumbprint: text('The key that signed this request (RFC 7638).'),
    card_url: nullable(
      Type.String(),
      'Your Signature Agent Card, by which shops verify you; null unless your owner has published you.',
    ),
    limits: Type.Array(LimitStanding, { description: 'What the owner allows.' }),
    operations: Type.Array(Type.String(), { description: 'What it may call, by `operationId`.' }),
    waiting: Type.Array(Waiting, {
      description: 'What waits for the owner: charges to allow, and the newest 50 sessions to approve.',
    }),
  },
  { title: 'AgentMe', description: 'Who the caller is, and what it may do.' },
)
export type AgentMe = Static<typeof AgentMe>

export const ChangeAgentBody = Type.Object(
  { name: Type.Optional(NAME), description: DESCRIPTION },
  { ...STRICT, minProperties: 1, title: 'ChangeAgentRequest', description: 'What the agent is called.' },
)
export type ChangeAgentBody = Static<typeof ChangeAgentBody>

export const ChangeKeyBody = Type.Object(
  {
    ...KEYS,
    proof: Type.String({
      pattern: '^[A-Za-z0-9+/]{86}==$',
      'x-message': 'must be an Ed25519 signature in base64, 88 characters',
      description:
        'A signature by the new key over four lines, without one at the end: `mintmark-agent-key-change`, the id of the agent, ' +
        'the thumbprint of the key that signs this request, the thumbprint of the new key.',
    }),
    old_key_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: AGENT_OLD_KEY_SECONDS,
        description: 'How long the old key goes on. Without it: a day.',
      }),
    ),
  },
  { ...STRICT, title: 'ChangeAgentKeyRequest', description: 'The new key, and the proof that the agent has it.' },
)
export type ChangeKeyBody = Static<typeof ChangeKeyBody>

export const ChangeKeyResponse = Type.Object(
  {
    agent_id: text('The agent.'),
    key_thumbprint: text('The new key (RFC 7638).'),
    old_key_valid_until: dateTime('Until when the old key goes on.'),
  },
  { title: 'AgentKeyChange', description: 'The new key.' },
)
export type ChangeKeyResponse = Static<typeof ChangeKeyResponse>

export const ApproveLinkBody = Type.Object(
  {
    owner: Type.Optional(reference(64, 'Which of the owners of this sandbox. Without it: `owner-1`.', 'owner-1')),
    limits: Type.Optional(AgentLimits),
    agent_id: Type.Optional(
      reference(
        64,
        'Which of the owner’s agents it is, whose limits stay, or `new`. Without it: the one as which this client of the tool protocol was let ' +
          'in last, unless there are `limits`; else a new one.',
        'new',
      ),
    ),
  },
  { ...STRICT, title: 'ApproveLinkRequest', description: 'Who approves, and what is allowed.' },
)
export type ApproveLinkBody = Static<typeof ApproveLinkBody>

export const ApproveLinkResponse = Type.Object(
  {
    agent_id: text('The agent.'),
    status: oneOf(AGENT_LINK_STATUSES, { title: 'AgentLinkStatus', description: 'How the link stands.' }),
    continue_url: Type.Optional(
      text('Where the browser goes on, of a client of the tool protocol: to the client, with the answer.'),
    ),
  },
  { title: 'ApprovedLink', description: 'What became of the link.' },
)
export type ApproveLinkResponse = Static<typeof ApproveLinkResponse>

export const AgentParams = Type.Object({ agentId: Type.String({ maxLength: 64, description: 'The agent.' }) })

export const PublishBody = Type.Object(
  { published: Type.Boolean({ description: 'Whether shops may find who the agent is.' }) },
  { ...STRICT, title: 'PublishAgentRequest', description: 'What the owner says.' },
)
export type PublishBody = Static<typeof PublishBody>

export const PublishResponse = Type.Object(
  { agent_id: text('The agent.'), published: Type.Boolean({ description: 'Whether it is published.' }) },
  { title: 'PublishedAgent', description: 'Whether an agent is published.' },
)

export const EscalationParams = Type.Object({
  escalationId: Type.String({ maxLength: 64, description: 'The escalation.' }),
})

export const DecideBody = Type.Object(
  { decision: oneOf(['allow', 'deny'], { description: 'What the owner says.' }) },
  { ...STRICT, title: 'DecideEscalationRequest', description: 'What the owner says.' },
)
export type DecideBody = Static<typeof DecideBody>

export const DecideResponse = Type.Object(
  {
    escalation_id: text('The escalation.'),
    status: oneOf(ESCALATION_STATUSES, { title: 'EscalationStatus', description: 'How it stands.' }),
  },
  { title: 'DecidedEscalation', description: 'What became of it.' },
)
export type DecideResponse = Static<typeof DecideResponse>

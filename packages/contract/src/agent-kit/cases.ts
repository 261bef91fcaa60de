import type { AgentSignatureFailure, AgentSignedComponent } from '../agent-signature.ts'

// What a server must take and refuse of signed requests, as data: each case says in what it departs from a right
// request. Texts are as they stand on the wire, with places in braces that `build.ts` fills.

/** What is signed otherwise than in a right request. */
interface SignedOtherwise {
  method?: string
  authority?: string
  target?: string
  /** Each with its quotes and parameters, in the order they are signed in. */
  components?: readonly string[]
  /** Values as they are written. Null leaves a parameter out. */
  parameters?: Readonly<Record<string, string | null>>
  /** What stands behind the parameters. */
  more?: string
  /** The digest of this body, in place of the one that is sent. */
  bodyOfDigest?: string
  digest?: string
  /** Signed by a key that the server does not know. */
  byAnotherKey?: boolean
}

/** What is sent otherwise than it was signed. */
interface SentOtherwise {
  target?: string
  authority?: string
  /** Each value is a header. None: it is not sent. */
  headers?: Readonly<Record<string, readonly string[]>>
}

export interface AgentKitRequest {
  /** `read` is `GET /v1/agents/me`, without a body unless there is one. `write` has one. */
  route: 'read' | 'write'
  body?: string
  /** Seconds from the server's time to `created`; what `expires` is later than that. */
  createdIn?: number
  lifetime?: number
  signed?: SignedOtherwise
  sent?: SentOtherwise
  /** `taken`: as far as the signature goes. */
  expected: 'taken' | AgentSignatureFailure
  /** With `component_missing`: what the answer must name. */
  components?: readonly AgentSignedComponent[]
}

export interface AgentKitCase extends AgentKitRequest {
  name: string
  /** Sent before it, with the same nonce and times. */
  first?: AgentKitRequest
  /** The case says nothing about servers whose address is not so, and is left out there. */
  needs?: 'the port of the scheme' | 'letters in the host'
}

const READ = ['"@method"', '"@authority"', '"@path"', '"@query"']
const WRITE = [...READ, '"content-digest"']
const write = (expected: AgentKitRequest['expected'], name: string, signed?: SignedOtherwise): AgentKitCase => ({
  name,
  route: 'write',
  expected,
  ...(signed && { signed }),
})
const invalid = (name: string, signed: SignedOtherwise) => write('signature_invalid', name, signed)
const sent = (
  expected: AgentKitRequest['expected'],
  name: string,
  headers: SentOtherwise['headers'] = {},
): AgentKitCase => ({
  name,
  route: 'write',
  expected,
  sent: { headers },
})
const reading = (
  expected: AgentKitRequest['expected'],
  name: string,
  targets: { signed: string; sent: string },
): AgentKitCase => ({
  name,
  route: 'read',
  expected,
  signed: { target: targets.signed },
  sent: { target: targets.sent },
})

const TAKEN: readonly AgentKitCase[] = [
  { name: 'a right request without a body', route: 'read', expected: 'taken' },
  write('taken', 'a right request with a body'),
  write('taken', 'components in another order', { components: WRITE.toReversed() }),
  write('taken', 'parameters in another order', {
    parameters: { created: null, tag: null },
    more: ';tag="agent-payer-auth";created={created}',
  }),
  write('taken', 'no algorithm named', { parameters: { alg: null } }),
  write('taken', 'the key named by its thumbprint', { parameters: { keyid: '"{thumbprint}"' } }),
  { name: 'a clock 55 seconds ahead', route: 'read', expected: 'taken', createdIn: 55 },
  { name: 'a clock 55 seconds behind', route: 'read', expected: 'taken', createdIn: -355 },
  reading('taken', 'a query', { signed: '{target}?a=%7Eb+c', sent: '{target}?a=%7Eb+c' }),
  reading('taken', 'a query that is signed as it is written', {
    signed: '{target}?a=+%7e&&b=',
    sent: '{target}?a=+%7e&&b=',
  }),
  reading('taken', 'an empty query, which is signed as none', { signed: '{target}', sent: '{target}?' }),
  {
    name: 'the port of the scheme in Host',
    route: 'read',
    expected: 'taken',
    needs: 'the port of the scheme',
    sent: { authority: '{authority:port}' },
  },
  {
    name: 'capital letters in Host',
    route: 'read',
    expected: 'taken',
    needs: 'letters in the host',
    sent: { authority: '{authority:capitals}' },
  },
]

const COVERED: readonly AgentKitCase[] = [
  ...(['@method', '@authority', '@path', '@query', 'content-digest'] as const).map(
    (component): AgentKitCase => ({
      ...write('component_missing', `${component} is not covered`, {
        components: WRITE.filter((each) => each !== `"${component}"`),
      }),
      components: [component],
    }),
  ),
  {
    ...write('component_missing', 'only the body is covered', { components: ['"content-digest"'] }),
    components: ['@method', '@authority', '@path', '@query'],
  },
  {
    ...write('component_missing', 'nothing is covered', { components: [] }),
    components: ['@method', '@authority', '@path', '@query', 'content-digest'],
  },
  {
    name: 'what Web Bot Auth covers',
    route: 'read',
    expected: 'component_missing',
    signed: { components: ['"@authority"', '"@path"'] },
    components: ['@method', '@query'],
  },
  {
    ...sent('component_missing', 'a digest that is covered and not sent', { 'Content-Digest': [] }),
    components: ['content-digest'],
  },
  invalid('a component twice', { components: [...WRITE, '"@path"'] }),
  invalid('a component that is not one of the profile', { components: [...WRITE, '"content-type"'] }),
  invalid('the directory of an agent', { components: [...WRITE, '"signature-agent"'] }),
  invalid('a component that is no string', { components: [...WRITE, 'date'] }),
  ...['req', 'bs', 'sf', 'tr', 'key="sha-256"', 'name="a"', 'x=?0'].map((parameter) =>
    invalid(`a component with ;${parameter}`, { components: [...READ, `"content-digest";${parameter}`] }),
  ),
  invalid('a part of the target with ;req', { components: ['"@method";req', ...WRITE.slice(1)] }),
  {
    name: 'a read with a body that is not covered',
    route: 'read',
    body: '{"total_amount":"99.00"}',
    expected: 'component_missing',
    signed: { components: READ },
    components: ['content-digest'],
  },
]

const CHANGED: readonly AgentKitCase[] = [
  {
    ...write('digest_mismatch', 'another body', { bodyOfDigest: '{"total_amount":"1.00"}' }),
    body: '{"total_amount":"99.00"}',
  },
  {
    ...invalid('another body and its digest', { bodyOfDigest: '{"total_amount":"1.00"}' }),
    sent: { headers: { 'Content-Digest': ['{digest}'] } },
  },
  invalid('another method', { method: 'PUT' }),
  invalid('another authority', { authority: 'other.example' }),
  invalid('another path', { target: '/v1/other' }),
  invalid('a query that was taken away', { target: '{target}?a=1' }),
  reading('signature_invalid', 'a query that was added', { signed: '{target}', sent: '{target}?a=1' }),
  reading('signature_invalid', 'another query', { signed: '{target}?a=1', sent: '{target}?a=2' }),
  reading('signature_invalid', 'small letters behind %', { signed: '{target}?a=%7E', sent: '{target}?a=%7e' }),
  reading('signature_invalid', 'a letter that was decoded', { signed: '{target}?a=%7E', sent: '{target}?a=~' }),
  reading('signature_invalid', 'a space written otherwise', { signed: '{target}?a=+', sent: '{target}?a=%20' }),
  reading('signature_invalid', 'a plus that was encoded', { signed: '{target}?a=+', sent: '{target}?a=%2B' }),
  reading('signature_invalid', 'an empty parameter that was added', { signed: '{target}?a=1', sent: '{target}?a=1&' }),
  reading('signature_invalid', 'an empty value that was taken away', { signed: '{target}?a=', sent: '{target}?a' }),
  reading('signature_invalid', 'parameters of the query in another order', {
    signed: '{target}?a=1&b=2',
    sent: '{target}?b=2&a=1',
  }),
  {
    ...invalid('an authority signed with the port of its scheme', { authority: '{authority:port}' }),
    needs: 'the port of the scheme',
  },
  {
    ...invalid('an authority signed in capitals', { authority: '{authority:capitals}' }),
    needs: 'letters in the host',
  },
  invalid('another key', { byAnotherKey: true }),
]

const TIMES: readonly AgentKitCase[] = [
  { name: 'a signature that has expired', route: 'write', expected: 'signature_expired', createdIn: -375 },
  { name: 'a signature of the future', route: 'write', expected: 'signature_expired', createdIn: 75 },
  { name: 'a life of more than 300 seconds', route: 'write', expected: 'signature_invalid', lifetime: 301 },
  { name: 'a life of no length', route: 'write', expected: 'signature_invalid', lifetime: 0 },
  invalid('a time with a fraction', { parameters: { created: '{created}.5' } }),
  invalid('a time before 1970', { parameters: { created: '-1' } }),
  invalid('a time in quotes', { parameters: { created: '"{created}"' } }),
  {
    name: 'a request that comes again',
    route: 'read',
    expected: 'nonce_replayed',
    first: { route: 'read', expected: 'taken' },
  },
  {
    name: 'a nonce that another request has spent',
    route: 'write',
    expected: 'nonce_replayed',
    first: { route: 'read', expected: 'taken' },
  },
  {
    name: 'a nonce that a wrong signature has not spent',
    route: 'read',
    expected: 'taken',
    first: { route: 'read', expected: 'signature_invalid', signed: { byAnotherKey: true } },
  },
]

const PARAMETERS: readonly AgentKitCase[] = [
  ...['created', 'expires', 'nonce', 'keyid', 'tag'].map((name) =>
    invalid(`no ${name}`, { parameters: { [name]: null } }),
  ),
  write('key_unknown', 'a key of nobody', { parameters: { keyid: '"aa_of_nobody"' } }),
  write('key_unknown', 'a key that is an address', { parameters: { keyid: '"https://keys.example/jwks.json"' } }),
  invalid('another tag', { parameters: { tag: '"web-bot-auth"' } }),
  invalid('another algorithm', { parameters: { alg: '"ecdsa-p256-sha256"' } }),
  invalid('an algorithm with a shared secret', { parameters: { alg: '"hmac-sha256"' } }),
  invalid('the algorithm in capitals', { parameters: { alg: '"ED25519"' } }),
  ...['nonce', 'keyid', 'tag', 'alg'].map((name) => invalid(`no string as ${name}`, { parameters: { [name]: '1' } })),
  invalid('an empty nonce', { parameters: { nonce: '""' } }),
  invalid('a nonce of 129 characters', { parameters: { nonce: `"${'n'.repeat(129)}"` } }),
  invalid('an unknown parameter', { more: ';jku="https://keys.example/jwks.json"' }),
  invalid('a parameter twice', { more: ';created={created}' }),
  invalid('a key named twice', { more: ';keyid="aa_of_nobody"' }),
]

const HEADERS: readonly AgentKitCase[] = [
  sent('signature_missing', 'no signature', { 'Signature-Input': [], Signature: [] }),
  sent('signature_missing', 'no Signature', { Signature: [] }),
  sent('signature_missing', 'no Signature-Input', { 'Signature-Input': [] }),
  sent('signature_invalid', 'two headers Signature-Input', { 'Signature-Input': ['sig={input}', 'two={input}'] }),
  sent('signature_invalid', 'two headers Signature', { Signature: ['sig=:{signature}:', 'two=:{signature}:'] }),
  sent('signature_invalid', 'two headers Content-Digest', { 'Content-Digest': ['{digest}', '{digest}'] }),
  sent('signature_invalid', 'two signatures', {
    'Signature-Input': ['sig={input}, two={input}'],
    Signature: ['sig=:{signature}:, two=:{signature}:'],
  }),
  sent('signature_invalid', 'a label twice', {
    'Signature-Input': ['sig={input}, sig={input}'],
    Signature: ['sig=:{signature}:, sig=:{signature}:'],
  }),
  sent('signature_invalid', 'a Signature more than there are inputs', {
    Signature: ['sig=:{signature}:, two=:{signature}:'],
  }),
  sent('signature_invalid', 'an input more than there are Signatures', {
    'Signature-Input': ['sig={input}, two={input}'],
  }),
  sent('signature_invalid', 'labels that differ', { Signature: ['two=:{signature}:'] }),
  sent('signature_invalid', 'a Signature that is a string', { Signature: ['sig="{signature}"'] }),
  sent('signature_invalid', 'a Signature with a parameter', { Signature: ['sig=:{signature}:;alg="none"'] }),
  sent('signature_invalid', 'a Signature without its padding', { Signature: ['sig=:{signature:unpadded}:'] }),
  sent('signature_invalid', 'a Signature of no bytes', { Signature: ['sig=::'] }),
  sent('signature_invalid', 'a Signature that is no dictionary', { Signature: ['???'] }),
  sent('signature_invalid', 'a Signature-Input that is no list', { 'Signature-Input': ['sig=1'] }),
  sent('signature_invalid', 'a Signature-Input with a space more', { 'Signature-Input': ['sig= {input}'] }),
  sent('signature_invalid', 'the signature of another request', { Signature: ['sig=:{signature:other}:'] }),
  write('digest_mismatch', 'a digest of another kind', { digest: 'sha-512=:{sha512}:' }),
  write('digest_mismatch', 'a digest twice', { digest: '{digest}, {digest}' }),
  write('digest_mismatch', 'a digest with a parameter', { digest: '{digest};a=1' }),
  write('digest_mismatch', 'a digest that is no dictionary', { digest: '???' }),
]

export const AGENT_KIT: readonly AgentKitCase[] = [
  ...TAKEN,
  ...COVERED,
  ...CHANGED,
  ...TIMES,
  ...PARAMETERS,
  ...HEADERS,
]

import { type Static, type TSchema, Type } from 'typebox'
import {
  MAX_RECEIPTS_OF_FILE,
  RECEIPT_ACTS,
  RECEIPT_FILE_FORMAT,
  RECEIPT_OUTCOMES,
  RECEIPT_SUBJECTS,
  RECEIPT_VERSION,
} from '../receipt.ts'
import { SENTENCE_LANGUAGES } from '../sentence/version.ts'

const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const oneOf = <const Values extends readonly string[]>(values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values] })
const closed = { additionalProperties: false }
/** SHA-256, base64url. */
const Hash = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })
const Bytes = Type.String({ pattern: '^[A-Za-z0-9_-]+$' })

/** A key that signs receipts. Its id is its thumbprint (RFC 7638). */
export const ReceiptKey = Type.Object(
  {
    kty: Type.Literal('EC'),
    crv: Type.Literal('P-256'),
    x: Hash,
    y: Hash,
    kid: Hash,
    alg: Type.Literal('ES256'),
    use: Type.Literal('sig'),
  },
  closed,
)
export type ReceiptKey = Static<typeof ReceiptKey>

export const ReceiptKeys = Type.Object({ keys: Type.Array(ReceiptKey) }, closed)
export type ReceiptKeys = Static<typeof ReceiptKeys>

/** The public key of a passkey, as a JWK: P-256, Ed25519 or RSA. */
const PasskeyJwk = Type.Union([
  Type.Object({ kty: Type.Literal('EC'), crv: Type.Literal('P-256'), x: Hash, y: Hash }, closed),
  Type.Object({ kty: Type.Literal('OKP'), crv: Type.Literal('Ed25519'), x: Hash }, closed),
  Type.Object({ kty: Type.Literal('RSA'), n: Bytes, e: Bytes }, closed),
])
export type PasskeyJwk = Static<typeof PasskeyJwk>

/** The assertion of the owner's passkey over what was shown to them. */
const Proof = Type.Object(
  {
    rp_id: Type.String(),
    public_key: PasskeyJwk,
    nonce: Bytes,
    /** SHA-256 of the terms: what the challenge binds, with the nonce. */
    terms_sha256: Hash,
    /** The terms, byte for byte; null where they name a card: then they are beside the receipt, for its owner. */
    terms: nullable(Type.String()),
    client_data_json: Bytes,
    authenticator_data: Bytes,
    signature: Bytes,
  },
  closed,
)
export type ReceiptProof = Static<typeof Proof>

export const Receipt = Type.Object(
  {
    iss: Type.String(),
    jti: Type.String({ pattern: '^rcp_[A-Za-z0-9_-]+$' }),
    iat: Type.Integer(),
    /** The owner, under a name that they have at this shop alone. */
    sub: Hash,
    v: Type.Literal(RECEIPT_VERSION),
    environment: oneOf(['sandbox', 'production']),
    act: oneOf(RECEIPT_ACTS),
    about: Type.Object({ type: oneOf(RECEIPT_SUBJECTS), id: Type.String() }, closed),
    occurred_at: Type.String(),
    outcome: oneOf(RECEIPT_OUTCOMES),
    /** Why not, as the contract lists it. */
    code: nullable(Type.String()),
    /** What was approved, as it was shown and signed. */
    sentence: nullable(Type.Object({ language: oneOf(SENTENCE_LANGUAGES), text: Type.String(), sha256: Hash }, closed)),
    /** The agent, by the thumbprint of its key (RFC 7638); one without a key has none. */
    agent: nullable(Type.Object({ name: Type.String(), jkt: nullable(Hash) }, closed)),
    amount: nullable(Type.Object({ value: Type.String(), currency: Type.String() }, closed)),
    shop: nullable(Type.Object({ name: Type.String(), url: Type.String(), country: Type.String() }, closed)),
    /** SHA-256 of what was bought, as canonical JSON (RFC 8785). */
    lines_sha256: nullable(Hash),
    /** The receipt of the approval that allowed it. */
    permission: nullable(Type.Object({ id: Type.String(), jti: Type.String(), sha256: Hash }, closed)),
    proof: nullable(Proof),
    /** Where it stands among the owner's receipts, and the hash of the one before; the first has none. */
    chain: Type.Object({ position: Type.Integer({ minimum: 1 }), previous: nullable(Hash) }, closed),
  },
  closed,
)
export type Receipt = Static<typeof Receipt>

/** Receipts in the order of their chain, the keys that signed them, and the terms that they name by hash. */
export const ReceiptFile = Type.Object(
  {
    format: Type.Literal(RECEIPT_FILE_FORMAT),
    keys: ReceiptKeys,
    receipts: Type.Array(Type.String(), { minItems: 1, maxItems: 2 * MAX_RECEIPTS_OF_FILE }),
    terms: Type.Array(Type.String()),
  },
  closed,
)
export type ReceiptFile = Static<typeof ReceiptFile>

// What an owner reads of their receipts, at their own host.

export const ReceiptParams = Type.Object({ receiptId: Type.String({ pattern: '^rcp_[A-Za-z0-9_-]{1,64}$' }) }, closed)
const Position = Type.String({ pattern: '^[1-9][0-9]{0,8}$' })
/** `before`: those before this position; without it the newest. */
export const ReceiptListQuery = Type.Object({ before: Type.Optional(Position) }, closed)
/** `after`: those behind this position; without it from the first. */
export const ReceiptFileQuery = Type.Object({ after: Type.Optional(Position) }, closed)

export const ReceiptList = Type.Object({
  receipts: Type.Array(
    Type.Object({
      id: Type.String(),
      position: Type.Integer(),
      act: oneOf(RECEIPT_ACTS),
      outcome: oneOf(RECEIPT_OUTCOMES),
      occurred_at: Type.String(),
      sha256: Hash,
      jws: Type.String(),
    }),
  ),
  /** What the next question names; null: there are none before. */
  next_before: nullable(Type.String()),
})
export type ReceiptList = Static<typeof ReceiptList>

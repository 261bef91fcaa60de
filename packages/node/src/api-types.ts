// Generated from the routes of the main API and the schemas of packages/contract/src/wire. Change the source, then run: npm run docs

import type { EventType, MintmarkEvent } from './event-types.ts'

/** How far the clock is moved. */
export interface AdvanceClockRequest {
  /** How far. */
  seconds: number
}

/** What a chat can show, without rebuilding it. */
export interface AgentApproval {
  /** Where the owner approves: `payment_url`. */
  url: string
  /** Until when. */
  expires_at: string
  /** What the owner is asked for, as it is signed. Show it as it is. */
  sentence: string
  /** The shop. */
  merchant: ApprovalMerchant
  /** How much. */
  amount: ApprovalAmount
  /** What is bought. */
  lines: Array<ApprovalLine>
}

/** When it may pay, each day. */
export interface AgentHours {
  /** From. */
  from: string
  /** To. */
  to: string
  /** The time zone, by its name. */
  zone: string
}

/** The new key. */
export interface AgentKeyChange {
  /** The agent. */
  agent_id: string
  /** The new key (RFC 7638). */
  key_thumbprint: string
  /** Until when the old key goes on. */
  old_key_valid_until: string
}

/** One limit, and what is left of it. */
export interface AgentLimit {
  /** What is limited. */
  kind: AgentLimitKind
  /** The limit, as text. */
  limit: string
  /** What of it is used; null where nothing adds up. */
  used: string | null
  /** What is left of it. */
  left: string | null
  /** When it begins anew; of `hours`, when they begin next. */
  renews_at: string | null
}

/** What is limited. */
export type AgentLimitKind =
  | 'currency'
  | 'merchants'
  | 'hours'
  | 'charge'
  | 'open'
  | 'day'
  | 'month'
  | 'ask_above'
  | 'ask_repeats'

/** What the owner allows. */
export interface AgentLimits {
  /** The one currency that it may pay in. */
  currency: Currency
  /** The most a charge; null: no limit. */
  charge: Amount | null
  /** The most a day (UTC). */
  day: Amount | null
  /** The most a calendar month (UTC). */
  month: Amount | null
  /** How many charges may be open at once. */
  open: number | null
  /** Hosts of the shops that it may pay; null: any. */
  merchants: Array<string> | null
  /** When it may pay; null: at any time. */
  hours: AgentHours | null
  /** Charges of more than this ask the owner first. */
  ask_above: AmountOrZero | null
  /** Whether a charge that is like another of the last five minutes (shop, amount and lines) asks the owner first, also under another reference. */
  ask_repeats?: boolean | undefined
}

/** A link that waits for its owner. */
export interface AgentLink {
  /** The link. */
  link_id: string
  /** Where the owner approves or denies it. */
  link_url: string
  /** Until when: 15 minutes. */
  expires_at: string
}

/** How a link stands. */
export interface AgentLinkStanding {
  /** How the link stands. */
  status: AgentLinkStatus
  /** The agent that it has become; once `approved`. */
  agent_id?: string | undefined
}

/** How the link stands. */
export type AgentLinkStatus = 'pending' | 'approved' | 'denied' | 'expired'

/** Who the caller is, and what it may do. */
export interface AgentMe {
  /** The agent. */
  agent_id: string
  /** Its name. */
  name: string
  /** Where it runs. */
  platform: string | null
  /** What it does. */
  description: string | null
  /** Whose it is: a name that no other agent sees. */
  owner: string
  /** The key that signed this request (RFC 7638). */
  key_thumbprint: string
  /** Your Signature Agent Card, by which shops verify you; null unless your owner has published you. */
  card_url: string | null
  /** What the owner allows. */
  limits: Array<AgentLimit>
  /** What it may call, by `operationId`. */
  operations: Array<string>
  /** What waits for the owner: charges to allow, and the newest 50 sessions to approve. */
  waiting: Array<WaitingForOwner>
}

/** How a session stands. The payload is there only while the result is awaited. */
export interface AgentPaymentResult {
  /** The session. */
  session_id: string
  /** How the session stands. */
  status: SessionStatus
  /** That the session sets up a mandate, and issues no credential. Absent otherwise. */
  authorizeOnly?: true | undefined
  /** The mandate that is set up, `pending` until it is approved. Absent otherwise. */
  mandate_id?: string | undefined
  /** What the report names; of a payment. */
  txn_ref_id?: string | undefined
  /** A virtual card for the agent alone: a JWE (RFC 7516) in four pieces, each base64url, `ECDH-ES` over X25519 with `A256GCM`. The protected header is `{"alg":"ECDH-ES","enc":"A256GCM","epk":{"kty":"OKP","crv":"X25519","x":…}}`. */
  encrypted_payload?: EncryptedPayload | undefined
  /** Why the payment failed. Absent otherwise. */
  error?: PaymentError | undefined
}

/** A new session, and what to show of it. */
export interface AgentSession {
  /** The session. */
  session_id: string
  /** Where the owner approves. Give it to your owner exactly as it is, and to nobody else. */
  payment_url: string
  /** When the owner can no longer approve. */
  expires_at: string
  /** That the session sets up a mandate, and issues no credential. Absent otherwise. */
  authorizeOnly?: true | undefined
  /** The mandate that is set up, `pending` until it is approved. Absent otherwise. */
  mandate_id?: string | undefined
  /** What a chat can show, without rebuilding it. */
  approval: AgentApproval
}

/** A page of sessions. */
export interface AgentSessionList {
  /** Newest first. */
  sessions: Array<AgentSessionStanding>
  /** Only there when more follows: the `cursor` of the next page. */
  next_cursor?: string | undefined
}

/** One session that the agent has asked for, with nothing to pay with. */
export interface AgentSessionStanding {
  /** The session. */
  session_id: string
  /** How the session stands. */
  status: SessionStatus
  /** That the session sets up a mandate, and issues no credential. Absent otherwise. */
  authorizeOnly?: true | undefined
  /** The mandate that is set up, `pending` until it is approved. Absent otherwise. */
  mandate_id?: string | undefined
  /** What was asked for. */
  amount: string
  /** Of the amount. */
  currency: string
  /** The shop. */
  merchant: ApprovalMerchant
  /** When it was asked for. */
  created_at: string
  /** Until when the owner can approve, or could. */
  expires_at: string
  /** While the owner can approve: where, as it was answered first. Give it to nobody else. */
  payment_url?: string | undefined
  /** What the report names; of a payment. */
  txn_ref_id?: string | undefined
  /** Why the payment failed. Absent otherwise. */
  error?: PaymentError | undefined
}

/** What the cardholder approves. It need not be the sum of the lines. */
export type Amount = string

/** Price of one. */
export type AmountOrZero = string

/** How much. */
export interface ApprovalAmount {
  /** A decimal text. */
  value: string
  /** ISO 4217. */
  currency: string
}

/** One line. */
export interface ApprovalLine {
  /** What. */
  description: string
  /** The price of one. */
  unit_price: string
  /** How many. */
  quantity: number
}

/** The shop. */
export interface ApprovalMerchant {
  /** Its name. */
  name: string
  /** Its address. */
  url: string
  /** Where it is. */
  country: string
}

/** Who approves, and what is allowed. */
export interface ApproveLinkRequest {
  /** Which of the owners of this sandbox. Without it: `owner-1`. */
  owner?: string | undefined
  /** What the owner allows. */
  limits?: AgentLimits | undefined
  /** Which of the owner’s agents it is, whose limits stay, or `new`. Without it: the one as which this client of the tool protocol was let in last, unless there are `limits`; else a new one. */
  agent_id?: string | undefined
}

/** What became of the link. */
export interface ApprovedLink {
  /** The agent. */
  agent_id: string
  /** How the link stands. */
  status: AgentLinkStatus
  /** Where the browser goes on, of a client of the tool protocol: to the client, with the answer. */
  continue_url?: string | undefined
}

/** What the card network said. */
export interface Authorization {
  /** The attempt. */
  authorization_id: string
  /** Whether the card network said yes. */
  approved: boolean
  /** ISO 8583; 00 is approved. */
  response_code: string
  /** Only when approved. */
  authorization_code?: string | undefined
}

/** A purchase with a minted credential. */
export interface AuthorizationRequest {
  /** Number of the virtual card. */
  token: string
  /** Its CVV. */
  dynamic_cvv: string
  /** Month it is printed with. */
  expiry_month: string
  /** Year it is printed with. */
  expiry_year: string
  /** What is charged; zero asks whether the card is good, and uses nothing up. */
  amount: AmountOrZero
  /** Of the amount. */
  currency: Currency
  /** Address of the merchant who charges. */
  merchant_url: string
}

/** A card of a customer, without its number. */
export interface Card {
  /** The card. */
  card_id: string
  /** The last four digits. */
  card_last4: string
  /** The brand; null when it is not known. */
  card_brand: string | null
  /** Month of the expiry. */
  card_exp_month: number | null
  /** Year of the expiry, four digits. */
  card_exp_year: number | null
  /** The number with all but four digits hidden. */
  masked_card_number: string | null
  /** Whether it is the customer's default card. */
  is_default: boolean
  /** Whether it can pay. */
  status: ListedCardStatus
  /** Null unless `include_card_art` is `true`. Needs no credential and tells no more than brand and colours. */
  card_art_url: string | null
  /** Null unless `include_card_art` is `true`, or where the network named no colours. */
  metadata: CardMetadata | null
  /** When it was enrolled. */
  created_at: string
}

/** Why. */
export type CardDeletionReason =
  | 'CUSTOMER_CONFIRMED'
  | 'LOST'
  | 'STOLEN'
  | 'SUSPECTED_FRAUD'
  | 'CLOSED_ACCOUNT'
  | 'OTHER'

/** The cards of a customer. */
export interface CardList {
  /** The default card first, then the newest. */
  cards: Array<Card>
  /** How many they are. */
  count: number
}

/** The colours in which the card network wants the card shown. */
export interface CardMetadata {
  /** Of the card. */
  backgroundColor: string
  /** Of the number. */
  foregroundColor: string
  /** Of smaller text. */
  labelColor: string
}

/** A merchant that can be bought from. */
export interface CatalogMerchant {
  /** What `merchant` of a request names. */
  id: string
  /** The name customers know. */
  name: string
  /** Address of the shop. */
  url: string
}

/** Products that were found. */
export interface CatalogPage {
  /** May be fewer than `limit`, also where more follow. */
  products: Array<CatalogProduct>
  /** For the next page. Absent: this was the last one. */
  next_cursor?: string | undefined
}

/** A product of a merchant that can be bought from. */
export interface CatalogProduct {
  /** The product. */
  product_id: string
  /** Its name. */
  title: string
  /** What the merchant says of it; may be empty. */
  description: string
  /** Null where the merchant shows none. */
  image_url: string | null
  /** A merchant that can be bought from. */
  merchant: CatalogMerchant
  /** Of the cheapest variant. */
  price: string
  /** Of all prices of the product. */
  currency: Currency
  /** Its forms; at least one. */
  variants: Array<CatalogVariant>
}

/** A product in one of its forms: what is bought. */
export interface CatalogVariant {
  /** What an item of a quote names. */
  variant_id: string
  /** What sets it apart from the others. */
  title: string
  /** Price of one, without shipping and taxes. */
  price: string
  /** Whether the merchant has it now. Only a quote says for sure. */
  available: boolean
}

/** The new key, and the proof that the agent has it. */
export interface ChangeAgentKeyRequest {
  /** An Ed25519 public key: SPKI (DER) in base64. */
  public_key: string
  /** An X25519 public key, its 32 bytes in base64, to which payloads are encrypted. Without it they are encrypted to `public_key`, mapped to X25519. */
  encryption_key?: string | undefined
  /** A P-256 public key (JWK), for signed mandates of drafts that want one. */
  mandate_key?: MandateKey | undefined
  /** A signature by the new key over four lines, without one at the end: `mintmark-agent-key-change`, the id of the agent, the thumbprint of the key that signs this request, the thumbprint of the new key. */
  proof: string
  /** How long the old key goes on. Without it: a day. */
  old_key_seconds?: number | undefined
}

/** What the agent is called. */
export interface ChangeAgentRequest {
  /** What the owner reads: the name of the agent. White space is folded to single blanks. */
  name?: string | undefined
  /** What it does, in the words of its maker. White space is folded to single blanks. Empty means absent. */
  description?: string | undefined
}

/** A virtual card for one payment, at one merchant. */
export interface ChargeCredentials {
  /** Number of the virtual card. */
  token: string
  /** Its CVV. */
  dynamicCvv: string
  /** Month it is printed with, two digits. */
  expiryMonth: string
  /** Year it is printed with, four digits. */
  expiryYear: string
}

/** What refuses it: the mandate, or a limit that the owner has set for the agent. */
export type ChargeLimit =
  | 'currency'
  | 'merchants'
  | 'hours'
  | 'charge'
  | 'open'
  | 'day'
  | 'month'
  | 'ask_above'
  | 'ask_repeats'
  | 'mandate'
  | 'max_charges'
  | 'shop'

/** What one charge is for. Without `merchant_details` the mandate's own merchant is meant. */
export interface ChargePurchase {
  /** Who is paid. */
  merchant_details?: MerchantDetails | undefined
  /** What is bought. */
  product_details: Array<ProductDetails>
  /** How the total comes about. Shown to the cardholder, and signed, when it is not the sum of the lines. */
  summary?: PurchaseSummary | undefined
  /** How long the credential lives once it is issued. It lapses earlier where its mandate ends earlier. */
  effective_until_minutes?: number | undefined
}

/** For agents: why the charge was refused, and what can be done. */
export interface ChargeRefusal {
  /** What refuses it: the mandate, or a limit that the owner has set for the agent. */
  limit: ChargeLimit
  /** What could be charged now, or how many charges; null where it is no question of how much. */
  left: string | null
  /** When there will be more, or when the hours of the owner begin; null: not by itself. */
  renews_at: string | null
  /** Whether the owner can be asked to allow it: a charge with a `reference` asks by itself. */
  can_ask: boolean
}

/** What became of a charge. */
export interface ChargeReportRequest {
  /** How the checkout ended. */
  txn_status: ReportedOutcome
  /** What kind of transaction it was. */
  txn_type: 'PURCHASE'
  /** The acquirer's authorization code. Empty means absent. */
  authorization_code?: string | undefined
  /** The acquirer's response code (ISO 8583). Empty means absent. */
  response_code?: string | undefined
  /** What was paid. */
  amount_paid?: AmountOrZero | undefined
}

/** The first result of the report, also for later equal ones. */
export interface ChargeReportResult {
  /** The mandate. */
  mandateId: string
  /** The charge. */
  transactionId: string
  /** The order that the mandate was set up for. */
  orderId: string
  /** How the charge ended. */
  status: 'completed' | 'failed'
  /** How the mandate stands now. `one_time` ends with its payment. */
  mandateStatus: MandateStatus
  /** Whether the card network agrees. */
  [name: `${string}Confirmation`]: Confirmation
}

/** One charge against a standing mandate. */
export interface ChargeRequest {
  /** What is charged, in the currency of the mandate. */
  amount: Amount
  /** Your own key of the charge: the same one again returns the first charge, unless that one failed. Empty means absent. */
  reference?: string | undefined
  /** For agents: the card goes to the shop, and what is answered is the shop's token for it, good for this checkout session, this amount and this merchant. The merchant of the charge has to be a shop that the operator has registered as speaking that protocol, and the amount the total of the session. */
  delivery?: DeliveryRequest | undefined
  /** What is bought. Exactly one entry, with the fields that `custom` has in a session; it may also be wrapped in `custom`. */
  purchase_context?: Array<ChargePurchase | WrappedChargePurchase> | undefined
}

/** The sandbox's time. */
export interface ClockTime {
  /** The sandbox's time after the move. */
  now: string
}

/** What the headless cardholder does. */
export interface CompleteRequest {
  /** The test card to enter. Without it: 4242 4242 4242 4242, or the card that is chosen already. */
  card_number?: string | undefined
  /** A saved card of the customer to use instead. */
  card_id?: string | undefined
  /** Walks away after this step. Without it: approves. */
  stop_after?: StopAfter | undefined
}

/** Where the cardholder stands. */
export interface CompleteResult {
  /** The session. */
  session_id: string
  /** How the session stands, or its enrollment. */
  status: CompletedStatus
  /** The card that was chosen; null when none was. */
  card_id: string | null
  /** What the page would show now. */
  next_step: Step
  /** What the cardholder is told at the end; null before. */
  outcome: Outcome | null
}

/** How the session stands, or its enrollment. */
export type CompletedStatus =
  | 'pending'
  | 'processing'
  | 'awaiting_result'
  | 'completed'
  | 'failed'
  | 'requires_action'
  | 'cancelled'
  | 'expired'

/** Whether the card network agrees. */
export type Confirmation = 'SUCCESS' | 'FAILURE'

/** Whether the creation named a consent. */
export type ConsentStatus = 'provided' | 'not_provided'

/** How the carrier reaches them. */
export interface ContactInformation {
  /** Phone number. White space is folded to single blanks. Empty means absent. */
  phone?: string | undefined
  /** Email address. */
  email?: string | undefined
}

/** Where the merchant is. */
export type Country = string

/** One purchase, or a standing mandate, for the owner to approve. */
export interface CreateAgentSessionRequest {
  /** What is to be paid; with `mandate_setup` the cap. */
  total_amount: Amount
  /** ISO 4217 code of a supported currency. */
  currency: Currency
  /** The shop, as the owner knows it. White space is folded to single blanks. */
  merchant_name: string
  /** Address of the shop. The credential works at its host only. */
  merchant_url: string
  /** Where the shop is. */
  merchant_country: Country
  /** What is bought. */
  products: Array<ProductDetails>
  /** Makes the session authorize-only. */
  mandate_setup?: MandateSetup | NoMandateSetup | undefined
}

/** What is to be bought, and where it is to be sent. */
export interface CreateQuoteRequest {
  /** The merchant, by its `id`. */
  merchant: string
  /** What is to be bought; each variant once. */
  items: Array<QuoteItem>
  /** Where to send it. The merchant is told, and prices shipping and taxes by it; it is not kept here. */
  shipping_address?: ShippingAddress | undefined
  /** Where the merchant writes to about the order. It is told, and not kept here. */
  email?: string | undefined
}

/** One purchase by one customer. */
export interface CreateSessionRequest {
  /** Your own name for the customer, compared byte by byte. */
  user_id: string
  /** The customer's email address; may be international (RFC 6531). */
  user_email: string
  /** What the cardholder approves. It need not be the sum of the lines. */
  total_amount: Amount
  /** Of all amounts of the session. */
  currency: Currency
  /** What is bought: by quote, or described here. */
  purchase_context: PurchaseContext
  /** The customer's phone number. White space is folded to single blanks. Empty means absent. */
  user_phone?: string | undefined
  /** The customer's country. */
  user_country_code_iso2?: Country | undefined
  /** Your own reference of the order; events carry it. Empty means absent. */
  external_order_ref?: string | undefined
  /** What the purchase is for, as the cardholder reads it. White space is folded to single blanks. Empty means absent. */
  description?: string | undefined
  /** Whether the page is opened as a tab (`full_checkout`) or framed by yours (`embedding`). */
  integration_type?: IntegrationType | undefined
  /** Where a hosted page returns to, with `session_id` added. */
  callback_url?: string | undefined
  /** How the cardholder reads: a language tag of BCP 47. Without it, and for languages that the page does not speak, the browser decides. */
  locale?: string | undefined
  /** The card to begin with. Without it the cardholder chooses or enters one. */
  card?: PreselectedCard | undefined
  /** Makes the session authorize-only. */
  mandate_setup?: MandateSetup | NoMandateSetup | undefined
  /** Sandbox and quote-backed sessions only. */
  sandbox_simulation?: SandboxSimulation | undefined
}

/** A new endpoint. */
export interface CreateWebhookEndpointRequest {
  /** Your name for it. White space is folded to single blanks. */
  name: string
  /** Where it is: HTTPS on port 443 of a public host, without credentials and fragment. */
  url: string
  /** The kinds it is sent. */
  events: Array<EventType>
}

/** The endpoint, paused and unverified, and its secret. */
export interface CreatedWebhookEndpoint {
  /** Where events are sent. */
  endpoint: WebhookEndpoint
  /** What its requests are signed with. Shown once: not when the request is repeated with the same key. */
  signing_secret?: string | undefined
}

/** Of all amounts of the session. */
export type Currency =
  | 'USD'
  | 'EUR'
  | 'GBP'
  | 'INR'
  | 'CAD'
  | 'AUD'
  | 'JPY'
  | 'SGD'
  | 'AED'
  | 'HKD'
  | 'MXN'
  | 'BRL'
  | 'CHF'
  | 'CNY'
  | 'NZD'
  | 'SEK'
  | 'NOK'
  | 'DKK'
  | 'ZAR'
  | 'THB'
  | 'KRW'
  | 'PLN'
  | 'TWD'
  | 'PHP'
  | 'IDR'
  | 'MYR'
  | 'CZK'
  | 'ILS'
  | 'CLP'
  | 'ARS'
  | 'COP'
  | 'PEN'
  | 'SAR'
  | 'QAR'
  | 'KWD'
  | 'BHD'
  | 'OMR'
  | 'EGP'
  | 'NGN'
  | 'KES'
  | 'GHS'
  | 'TZS'
  | 'UGX'
  | 'PKR'
  | 'BDT'
  | 'LKR'
  | 'VND'
  | 'MMK'
  | 'NPR'

/** What the owner says. */
export interface DecideEscalationRequest {
  /** What the owner says. */
  decision: 'allow' | 'deny'
}

/** What became of it. */
export interface DecidedEscalation {
  /** The escalation. */
  escalation_id: string
  /** How it stands. */
  status: EscalationStatus
}

/** Which card to delete. */
export interface DeleteCardRequest {
  /** Your own `user_id` of the customer, or our `cus_` id. */
  customer_id: string
  /** The `card_id` of the card. */
  card_id: string
  /** Why. */
  reason?: CardDeletionReason | undefined
}

/** What came of the deletion; the same however often it is asked for. */
export interface DeletedCard {
  /** Always `true`. */
  success: true
  /** The card. */
  card_id: string
  /** Whether it was the default card. The newest of the active ones has become it. */
  was_default: boolean
  /** Whether the card network deleted the card's token now; `false`: it had none any more. */
  [name: `${string}_token_deleted`]: boolean
}

/** That an endpoint was deleted. */
export interface DeletedWebhookEndpoint {
  /** The endpoint. */
  id: string
  /** Always `true`. Nothing is sent there any more. */
  deleted: true
}

/** For agents: of a charge with `delivery`, what there is in place of a card. */
export interface Delivery {
  /** `acp`: the shop's own token, by the Agentic Commerce Protocol. */
  type: DeliveryType
  /** The checkout session that it is for. */
  checkout_session_id: string
  /** The shop's token, for `payment_data` of its `complete`. Only while a result is awaited, and until `expiresAt`. */
  token?: string | undefined
  /** The payment handler of the session that takes the token. */
  handler_id?: string | undefined
}

/** For agents: the card goes to the shop, and what is answered is the shop's token for it, good for this checkout session, this amount and this merchant. The merchant of the charge has to be a shop that the operator has registered as speaking that protocol, and the amount the total of the session. */
export interface DeliveryRequest {
  /** `acp`: the shop's own token, by the Agentic Commerce Protocol. */
  type: DeliveryType
  /** Your checkout session at the shop. */
  checkout_session_id: string
}

/** `acp`: the shop's own token, by the Agentic Commerce Protocol. */
export type DeliveryType = 'acp'

/** A virtual card for the agent alone: a JWE (RFC 7516) in four pieces, each base64url, `ECDH-ES` over X25519 with `A256GCM`. The protected header is `{"alg":"ECDH-ES","enc":"A256GCM","epk":{"kty":"OKP","crv":"X25519","x":…}}`. */
export interface EncryptedPayload {
  /** The `x` of the ephemeral X25519 key. */
  ephemeral_public_key: string
  /** The initialization vector. */
  iv: string
  /** The authentication tag. */
  auth_tag: string
  /** The ciphertext: JSON with `token`, `dynamicCvv`, `expiryMonth`, `expiryYear`, `mandateId` and `transactionId`. */
  data: string
}

/** One card of one customer. */
export interface EnrollCardRequest {
  /** The card alone, at once; or card and passkey, by the cardholder at `iframe_url`. */
  enrollment_mode?: EnrollmentMode | undefined
  /** Your own name for the customer, compared byte by byte. */
  user_id: string
  /** The customer's email address. May be left out of a customer whose address you have given before. */
  user_email?: string | undefined
  /** Your reference of the consent. That there is one is kept, not what it is. */
  consent_id?: string | undefined
  /** A vault record of yours. Required for `provision_only`; otherwise it spares entering the card. */
  vault_ref_id?: string | undefined
  /** Only for `full_enrollment`: whether the page is opened as a tab (`full_checkout`) or framed by yours (`embedding`). */
  integration_type?: IntegrationType | undefined
  /** Only for `full_enrollment`: where a hosted page returns to, with `session_id` added. */
  callback_url?: string | undefined
  /** Only for `full_enrollment`: how the cardholder reads, as a language tag of BCP 47. */
  locale?: string | undefined
}

/** The card, or the session in which it is enrolled: by `enrollment_mode`. */
export type EnrollCardResponse = ProvisionedCard | EnrollmentSession

export type EnrolledPasskey = 'registered' | 'existing'

/** What went wrong. */
export interface EnrollmentError {
  /** Stable; branch on this. */
  code: EnrollmentErrorCode
  /** The same in words. */
  message: string
  /** Whether the cardholder can try again at the same page. There is no retry by the API. */
  retryable: boolean
}

/** Stable; branch on this. */
export type EnrollmentErrorCode =
  | 'CARD_NUMBER_INVALID'
  | 'CARD_EXPIRED'
  | 'CVV_MISMATCH'
  | 'CARD_DECLINED'
  | 'STEP_UP_INVALID'
  | 'STEP_UP_EXHAUSTED'
  | 'DEVICE_BINDING_FAILED'
  | 'NETWORK_UNAVAILABLE'
  | 'PASSKEY_FAILED'
  | 'PASSKEY_BLOCKED'
  | 'BIN_COUNTRY_NOT_ALLOWED'
  | 'BIN_ISSUER_NOT_ALLOWED'
  | 'SESSION_REVOKED'

/** The card alone, at once; or card and passkey, by the cardholder at `iframe_url`. */
export type EnrollmentMode = 'provision_only' | 'full_enrollment'

/** How far the card came. */
export type EnrollmentOutcome = 'not_started' | 'card_provisioned' | 'fully_enrolled'

/** Of `full_enrollment`: where the cardholder enrolls the card. */
export interface EnrollmentSession {
  /** The session. */
  session_id: string
  /** JWT for the client SDK; expires with the session. */
  session_token: string
  /** When the cardholder can no longer finish. */
  expires_at: string
  /** The secure surface. Use exactly as returned, in an iframe or a tab. */
  iframe_url: string
}

/** How it stands. Poll while it is `requires_action` or `processing`. */
export type EnrollmentStatus = 'requires_action' | 'processing' | 'completed' | 'failed' | 'cancelled' | 'expired'

/** The enrollment of a card; the same fields in every state. */
export interface EnrollmentStatusResource {
  /** The session. */
  session_id: string
  /** How it stands. Poll while it is `requires_action` or `processing`. */
  status: EnrollmentStatus
  /** How far the card came. */
  outcome: EnrollmentOutcome
  /** The card, once the network has accepted it; whatever comes of the passkey. */
  card_id: string | null
  /** Made in this session, or there before and verified; null until it is completed. */
  passkey: EnrolledPasskey | null
  /** Whether the creation named a consent. */
  consent_status: ConsentStatus
  /** Why it failed, or the last try; null when nothing stands against it, and after completion, cancellation or expiry. */
  error: EnrollmentError | null
}

/** For agents: what the owner is asked to allow. Once allowed, the same `reference` is charged once. */
export interface Escalation {
  /** The question. */
  id: string
  /** `pending`: the owner is being asked. Send the same charge again, with its `reference`, to see what came of it. */
  status: EscalationStatus
  /** Until when the owner can answer. */
  expires_at: string
  /** Where the owner answers. Show it to your owner, and to nobody else. */
  url: string
}

/** `pending`: the owner is being asked. Send the same charge again, with its `reference`, to see what came of it. */
export type EscalationStatus = 'pending' | 'allowed' | 'denied' | 'expired'

/** One page of the feed. */
export interface EventList {
  /** In the order of the feed. May be empty with a filter, and not be the last. */
  data: Array<MintmarkEvent>
  /** Where the next page begins. Null when there is nothing behind this page: keep the last one that was not null, and go on with it later. */
  next_cursor: string | null
}

/** Whether the card network issued a credential. */
export type FetchStatus = 'SUCCESS' | 'FAILURE'

/** Whether the page is opened as a tab (`full_checkout`) or framed by yours (`embedding`). */
export type IntegrationType = 'full_checkout' | 'embedding'

/** The newest charge of a mandate. */
export interface LastCharge {
  /** How the charge stands. */
  status: TransactionStatus
  /** When it last changed. */
  at: string
}

/** One merchant of the transaction, with the credential to pay it. */
export interface LineItem {
  /** What a report names. */
  txn_ref_id: string
  /** The merchant, as its name was written. */
  merchant_name: string
  /** Address of the merchant. */
  merchant_url: string
  /** What the credential is good for. */
  total_amount: string
  /** How the line item stands. */
  status: LineItemStatus
  /** Number of the virtual card; only while a result is awaited. */
  token: string | null
  /** Its CVV. */
  dynamic_cvv: string | null
  /** Month it is printed with, two digits. */
  expiry_month: string | null
  /** Year it is printed with, four digits. */
  expiry_year: string | null
  /** What is bought. */
  products: Array<Product>
  /** Why the payment failed. Absent otherwise. */
  error?: PaymentError | undefined
}

/** How the line item stands. */
export type LineItemStatus = 'pending' | 'credentials_generated' | 'completed' | 'failed'

/** Who asks to be linked. */
export interface LinkAgentRequest {
  /** An Ed25519 public key: SPKI (DER) in base64. */
  public_key: string
  /** An X25519 public key, its 32 bytes in base64, to which payloads are encrypted. Without it they are encrypted to `public_key`, mapped to X25519. */
  encryption_key?: string | undefined
  /** A P-256 public key (JWK), for signed mandates of drafts that want one. */
  mandate_key?: MandateKey | undefined
  /** What the owner reads: the name of the agent. White space is folded to single blanks. */
  name: string
  /** Where it runs. White space is folded to single blanks. Empty means absent. */
  platform?: string | undefined
  /** What it does, in the words of its maker. White space is folded to single blanks. Empty means absent. */
  description?: string | undefined
}

/** Whether it can pay. */
export type ListedCardStatus = 'active' | 'deleted'

/** A permission to charge, given once with a passkey. */
export interface Mandate {
  /** The mandate. */
  id: string
  /** The agent it was given to; null without one, as when it was given to a merchant. */
  agentId: string | null
  /** The customer who gave it. */
  customerId: string
  /** Your own name for the customer: the `user_id` of the session. */
  externalUserId: string
  /** Whether it can be charged now. `consumed`: its payment was made, or nothing remains until the next window. */
  state: MandateState
  /** How it stands. */
  status: MandateStatus
  /** How long a window is, counted from the activation; `one_time` has one window, its whole life. */
  recurringFrequency: RecurringFrequency
  /** Whether only the named merchant may be paid. */
  merchantScope: 'any' | 'listed'
  /** The merchant, as the customer saw the name. */
  merchantName: string
  /** What one charge, and one window, may cost at most. */
  approvedAmount: string
  /** What is left of the current window. Indicative: the card network enforces the real cap. */
  remaining: string
  /** Of every charge. */
  currency: string
  /** Nothing is charged from then on. */
  validUntil: string | null
  /** Null for `one_time`, and when it is not active or paused. It may lie after `validUntil`: then the mandate ends first. */
  renewsAt: string | null
  /** The newest charge; null when there was none. */
  lastCharge: LastCharge | null
  /** When it was made. */
  createdAt: string
  /** When it last changed. */
  updatedAt: string
}

/** One charge of a mandate. */
export interface MandateCharge {
  /** The charge. */
  transactionId: string
  /** What was charged. */
  amount: string
  /** Of the amount. */
  currency: string
  /** How the charge stands. */
  status: TransactionStatus
  /** Your own reference of the charge; null when you sent none. */
  reference: string | null
  /** When it was made. */
  createdAt: string
}

/** One charge, with the credential to make the payment. */
export interface MandateChargeResult {
  /** The mandate. */
  mandateId: string
  /** The card network's name of the mandate. */
  instructionId: string
  /** The charge; the report names it. Null when nothing was charged (`dry_run`). */
  transactionId: string | null
  /** The order that the mandate was set up for. */
  orderId: string
  /** `awaiting_result`: report what becomes of it. `failed`: nothing was charged. An earlier charge as it stands now: `completed` once it was reported as approved. */
  status: TransactionStatus
  /** Whether the card network issued a credential. */
  fetchStatus: FetchStatus
  /** Only while a result is awaited, and until `expiresAt`. Null for agents. */
  credentials: ChargeCredentials | null
  /** A virtual card for the agent alone: a JWE (RFC 7516) in four pieces, each base64url, `ECDH-ES` over X25519 with `A256GCM`. The protected header is `{"alg":"ECDH-ES","enc":"A256GCM","epk":{"kty":"OKP","crv":"X25519","x":…}}`. */
  encrypted_payload?: EncryptedPayload | undefined
  /** For agents: of a charge with `delivery`, what there is in place of a card. */
  delivery?: Delivery | undefined
  /** Null where none was issued. */
  expiresAt: string | null
  /** Why it failed, as `THRESHOLD_EXCEEDED`; null when it did not. */
  errorCode: string | null
  /** The same code, and in words. For agents these say which limit it was, what is left, when there will be more, and whether the owner is asked. */
  errorMessage: string | null
  /** True: this is the charge that was made with this `reference` before. */
  deduplicated: boolean
  /** Of this charge; of an earlier one, its own. */
  amount: string
  /** Of the amount. */
  currency: string
  /** For agents: why the charge was refused, and what can be done. */
  details?: ChargeRefusal | undefined
  /** For agents: what the owner is asked to allow. Once allowed, the same `reference` is charged once. */
  escalation?: Escalation | undefined
  /** For agents: a charge of the last five minutes with the same merchant, amount and lines. Send a `reference` to be sure. */
  possible_duplicate_of?: string | undefined
  /** True: nothing was charged. Absent otherwise. */
  dryRun?: boolean | undefined
}

/** A mandate with its charges. */
export interface MandateDetail {
  /** The mandate. */
  id: string
  /** The agent it was given to; null without one, as when it was given to a merchant. */
  agentId: string | null
  /** The customer who gave it. */
  customerId: string
  /** Your own name for the customer: the `user_id` of the session. */
  externalUserId: string
  /** Whether it can be charged now. `consumed`: its payment was made, or nothing remains until the next window. */
  state: MandateState
  /** How it stands. */
  status: MandateStatus
  /** How long a window is, counted from the activation; `one_time` has one window, its whole life. */
  recurringFrequency: RecurringFrequency
  /** Whether only the named merchant may be paid. */
  merchantScope: 'any' | 'listed'
  /** The merchant, as the customer saw the name. */
  merchantName: string
  /** What one charge, and one window, may cost at most. */
  approvedAmount: string
  /** What is left of the current window. Indicative: the card network enforces the real cap. */
  remaining: string
  /** Of every charge. */
  currency: string
  /** Nothing is charged from then on. */
  validUntil: string | null
  /** Null for `one_time`, and when it is not active or paused. It may lie after `validUntil`: then the mandate ends first. */
  renewsAt: string | null
  /** The newest charge; null when there was none. */
  lastCharge: LastCharge | null
  /** When it was made. */
  createdAt: string
  /** When it last changed. */
  updatedAt: string
  /** What the charges of the current window come to: those that were paid, and those without an outcome. */
  spent: string
  /** How many charges were paid, or have no outcome yet, in all. */
  chargeCount: number
  /** The newest 100 charges, newest first, failed ones included. */
  charges: Array<MandateCharge>
}

/** A P-256 public key (JWK), for signed mandates of drafts that want one. */
export interface MandateKey {
  /** The kind of key. */
  kty: 'EC'
  /** The curve. */
  crv: 'P-256'
  /** The x coordinate. */
  x: string
  /** The y coordinate. */
  y: string
}

/** One page of mandates. */
export interface MandateList {
  /** Newest first. */
  mandates: Array<Mandate>
  /** Only there when more follows: the `cursor` of the next page. */
  next_cursor?: string | undefined
}

/** A standing mandate to be approved. The session issues no credential. */
export interface MandateSetup {
  /** That this session sets up a mandate. */
  intent?: 'mandate_setup' | undefined
  /** How often the amount becomes available again. */
  recurring_frequency: RecurringFrequency
  /** Which merchants may be paid: the one named here, or any. */
  merchant_scope?: MerchantScope | undefined
  /** End of the mandate. Ignored for `one_time`, cut to 1, 2 or 5 years for weekly, monthly and yearly. */
  valid_until?: string | undefined
  /** How many charges there may be at most. Ignored for `one_time`, which is for one. */
  max_charges?: number | undefined
  /** Lets the cardholder lower the amount or the end, never raise them. */
  adjustable?: boolean | undefined
}

/** Whether it can be charged now. `consumed`: its payment was made, or nothing remains until the next window. */
export type MandateState = 'available' | 'consumed' | 'expired' | 'paused' | 'cancelled' | 'pending'

/** How it stands. */
export type MandateStatus = 'pending' | 'active' | 'paused' | 'consumed' | 'cancelled' | 'expired'

/** Who is paid. */
export interface MerchantDetails {
  /** The name customers know, in any script. It is what the cardholder sees and signs. White space is folded to single blanks. */
  name: string
  /** What the card network is told when `name` has nothing in it that networks carry. Without it, the host of `url`. */
  statement_name?: string | undefined
  /** Address of the shop. The credential works at its host only. */
  url: string
  /** Where the merchant is. */
  country_code_iso2: Country
  /** Merchant category code. Empty means absent. */
  category_code?: string | undefined
  /** The same in words. White space is folded to single blanks. Empty means absent. */
  category?: string | undefined
}

/** The purchase at the merchant. Quote-backed sessions only, from the approval on. */
export interface MerchantResult {
  /** How the purchase stands there. `unknown`: it has not answered, and is asked again until it does. */
  status: MerchantResultStatus
  /** Its own id of the order, where it has one that may be shown. */
  orderId?: string | undefined
}

/** How the purchase stands there. `unknown`: it has not answered, and is asked again until it does. */
export type MerchantResultStatus =
  | 'pending'
  | 'quote_ready'
  | 'prepared'
  | 'prepare_failed'
  | 'paid'
  | 'failed'
  | 'needs_human'
  | 'unknown'

/** Which merchants may be paid: the one named here, or any. */
export type MerchantScope = 'any' | 'listed'

/** An ordinary checkout: nothing else in the block is looked at. */
export interface NoMandateSetup {
  /** That this session is an ordinary checkout. */
  intent: 'checkout'
  [name: string]: unknown
}

/** What really became of a session whose result is simulated, once it has ended. Absent otherwise. */
export interface ObservedResult {
  /** How it really ended. */
  status: ObservedStatus
  /** Why the payment failed. Absent otherwise. */
  error?: PaymentError | undefined
}

/** How it really ended. */
export type ObservedStatus = 'completed' | 'failed'

export type Outcome = 'approved' | 'failed' | 'cancelled' | 'expired' | 'revoked'

/** That a customer may replace a lost passkey. */
export interface PasskeyReset {
  /** The customer. */
  user_id: string
  /** Since when a new passkey may be made. */
  released_at: string
  /** Until then a new passkey may be made. */
  expires_at: string
}

/** Why the payment failed. Absent otherwise. */
export interface PaymentError {
  /** One of the payment failures. */
  code: string
  /** The same in words. */
  message: string
}

/** How a payment stands. */
export interface PaymentResult {
  /** The session. */
  session_id: string
  /** Our own id of the order. */
  order_id: string
  /** Poll while it is `pending` or `processing`. */
  status: SessionStatus
  /** That the session sets up a mandate, and issues no credential. Absent otherwise. */
  authorizeOnly?: true | undefined
  /** The mandate that is set up, `pending` until it is approved. Absent otherwise. */
  mandate_id?: string | undefined
  /** One, there from the creation on; none where a mandate is set up. */
  transactions: Array<Transaction>
  /** Why the payment failed. Absent otherwise. */
  error?: PaymentError | undefined
  /** The purchase at the merchant. Quote-backed sessions only, from the approval on. */
  merchant_res?: MerchantResult | undefined
  /** What really became of a session whose result is simulated, once it has ended. Absent otherwise. */
  observed_result?: ObservedResult | undefined
}

/** The card to begin with. Without it the cardholder chooses or enters one. */
export interface PreselectedCard {
  /** An enrolled card of the customer. Wins over `vault_ref_id`. */
  card_id?: string | undefined
  /** A vault record of yours. */
  vault_ref_id?: string | undefined
}

/** One line of the purchase. */
export interface Product {
  /** Our reference of the line; reports may name it. */
  product_ref_id: string
  /** Your own `product_id`; null when you sent none. */
  external_product_id: string | null
  /** The `description` of the line. */
  name: string
  /** Price of one. */
  unit_price: string
  /** How many. */
  quantity: number
}

/** One line of a purchase. */
export interface ProductDetails {
  /** What is bought, as the cardholder reads it. White space is folded to single blanks. */
  description: string
  /** Price of one. */
  unit_price: AmountOrZero
  /** Your own id of the product; reports may name it. Empty means absent. */
  product_id?: string | undefined
  /** How many. */
  quantity?: number | undefined
}

/** What became of it. */
export type ProductStatus = 'COMPLETED' | 'FAILED' | 'CANCELED' | 'INPROGRESS' | 'PENDING' | 'ONHOLD'

/** Of `provision_only`: the card. */
export interface ProvisionedCard {
  /** The card, which its cardholder has still to prove. */
  card_id: string
}

/** What the owner says. */
export interface PublishAgentRequest {
  /** Whether shops may find who the agent is. */
  published: boolean
}

/** Whether an agent is published. */
export interface PublishedAgent {
  /** The agent. */
  agent_id: string
  /** Whether it is published. */
  published: boolean
}

/** Merchant and products of a purchase. */
export interface Purchase {
  /** Who is paid. */
  merchant_details: MerchantDetails
  /** What is bought. */
  product_details: Array<ProductDetails>
  /** How the total comes about. Shown to the cardholder, and signed, when it is not the sum of the lines. */
  summary?: PurchaseSummary | undefined
  /** How long the approval can be charged once it is given. The credential is printed to last that long. */
  effective_until_minutes?: number | undefined
}

/** What is bought: by quote, or described here. */
export type PurchaseContext =
  | {
      /** True: the purchase is the one that a quote describes. */
      quote?: boolean | undefined
      /** The quote. Only with `quote: true`. */
      quote_id?: string | undefined
      /** The purchase itself. Only without `quote`. */
      custom?: Purchase | Array<Purchase> | undefined
    }
  | Array<Purchase>

/** How the total comes about. Shown to the cardholder, and signed, when it is not the sum of the lines. */
export interface PurchaseSummary {
  /** Sum of the lines. */
  subtotal?: AmountOrZero | undefined
  /** Shipping. */
  shipping?: AmountOrZero | undefined
  /** Tax. */
  tax?: AmountOrZero | undefined
  /** What is taken off, as a positive amount. */
  discount?: AmountOrZero | undefined
}

/** What a merchant wants for some of its products, for 15 minutes. */
export interface Quote {
  /** What a session names. */
  quote_id: string
  /** Who sells it, and is paid. */
  merchant: QuoteMerchant
  /** What the session must ask for. */
  total_amount: string
  /** Of all amounts of the quote. */
  currency: Currency
  /** items + shipping + tax − discount = the total. */
  breakdown: QuoteBreakdown
  /** What is bought. */
  line_items: Array<QuoteLine>
  /** None: empty. */
  warnings: Array<QuoteWarning>
  /** Until then a session can be created from it. */
  expires_at: string
}

/** items + shipping + tax − discount = the total. */
export interface QuoteBreakdown {
  /** Sum of the lines. */
  items: AmountOrZero
  /** Shipping. */
  shipping: AmountOrZero
  /** Taxes. */
  tax: AmountOrZero
  /** What is taken off, as a positive amount. */
  discount: AmountOrZero
}

/** What is to be bought, and how much of it. */
export interface QuoteItem {
  /** The `variant_id` of a product of the merchant. */
  variant_id: string
  /** How many. */
  quantity: number
}

/** One line of the purchase. */
export interface QuoteLine {
  /** The product. */
  product_id: string
  /** The variant. */
  variant_id: string
  /** What is bought, as the cardholder reads it. */
  title: string
  /** How many. */
  quantity: number
  /** Price of one. */
  unit_price: string
  /** Price of all of them. */
  total: string
}

/** Who sells it, and is paid. */
export interface QuoteMerchant {
  /** What `merchant` of a request names. */
  id: string
  /** The name customers know. */
  name: string
  /** Address of the shop. */
  url: string
  /** Where the merchant is. */
  country_code_iso2: string
}

/** What may be wrong, and keeps nothing from being bought. */
export interface QuoteWarning {
  /** Stable; branch on this. */
  code: QuoteWarningCode
  /** For people; may change. */
  message: string
}

/** Stable; branch on this. */
export type QuoteWarningCode = 'ADDRESS_UNIT_CONFIRMATION_SUGGESTED'

/** A range of time. */
export interface RecoverWebhookEndpointRequest {
  /** The time of the first event, within the last 30 days. */
  from: string
  /** The time of the last event; now when it is absent. */
  to?: string | undefined
}

/** How often the amount becomes available again. */
export type RecurringFrequency = 'one_time' | 'weekly' | 'monthly' | 'yearly'

/** What became of a checkout. */
export interface ReportStatusRequest {
  /** The line item. */
  txn_ref_id: string
  /** How the checkout ended. */
  txn_status: ReportedOutcome
  /** What kind of transaction it was. */
  txn_type?: 'PURCHASE' | undefined
  /** The acquirer's authorization code. Empty means absent. */
  authorization_code?: string | undefined
  /** The acquirer's response code (ISO 8583). Empty means absent. */
  response_code?: string | undefined
  /** What was paid in all. */
  amount_paid?: AmountOrZero | undefined
  /** What became of single products. */
  product_statuses?: Array<ReportedProduct> | undefined
}

/** The first result of the report, also for later equal ones. */
export interface ReportStatusResult {
  /** The report is recorded. */
  status: 'confirmed'
  /** The line item. */
  txn_ref_id: string
  /** How the checkout ended. */
  txn_status: ReportedOutcome
  /** Whether the card network agrees. */
  [name: `${string}_confirmation`]: Confirmation
}

/** How the checkout ended. */
export type ReportedOutcome = 'APPROVED' | 'DECLINED'

/** What became of one product; recorded, and no more. */
export interface ReportedProduct {
  /** The product by your own id. Empty means absent. */
  product_id?: string | undefined
  /** The product by our reference. Both must mean the same one. */
  product_ref_id?: string | undefined
  /** What became of it. */
  status: ProductStatus
  /** What was paid for it. */
  amount_paid?: AmountOrZero | undefined
}

/** The session is revoked. */
export interface RevokeResult {
  /** Always true. */
  success: boolean
}

/** The new secret of an endpoint. */
export interface RotatedWebhookSecret {
  /** Where events are sent. */
  endpoint: WebhookEndpoint
  /** What its requests are signed with. Shown once: not when the request is repeated with the same key. */
  signing_secret?: string | undefined
  /** Until then the secret before this one signs as well. */
  former_secret_expires_at: string
}

/** Sandbox and quote-backed sessions only. */
export interface SandboxSimulation {
  /** What is simulated. */
  stage: 'payment'
  /** How it ends. */
  outcome: 'success'
}

/** What to look for. */
export interface SearchCatalogRequest {
  /** Words to look for, in at most 600 bytes of UTF-8. Without them: everything. White space is folded to single blanks. Empty means absent. */
  query?: string | undefined
  /** Only at this merchant, by its `id`. Without it: at all of them. */
  merchant?: string | undefined
  /** How many products at most. */
  limit?: number | undefined
  /** `next_cursor` of the page before, of the same search. */
  cursor?: string | undefined
}

/** A new session, and where the cardholder approves it. */
export interface Session {
  /** The session. */
  session_id: string
  /** JWT for the client SDK; expires with the session. */
  session_token: string
  /** The secure surface. Use exactly as returned, in an iframe or a tab. */
  iframe_url: string
  /** Our own id of the order. */
  order_id: string
  /** When the cardholder can no longer approve. */
  expires_at: string
  /** That the session sets up a mandate, and issues no credential. Absent otherwise. */
  authorizeOnly?: true | undefined
  /** The mandate that is set up, `pending` until it is approved. Absent otherwise. */
  mandate_id?: string | undefined
}

/** Poll while it is `pending` or `processing`. */
export type SessionStatus = 'pending' | 'processing' | 'awaiting_result' | 'completed' | 'failed'

/** Where to send it. The merchant is told, and prices shipping and taxes by it; it is not kept here. */
export interface ShippingAddress {
  /** Who receives it. White space is folded to single blanks. */
  name: string
  /** Street, number, and apartment or unit. White space is folded to single blanks. */
  address: string
  /** City. White space is folded to single blanks. */
  city: string
  /** State or province. White space is folded to single blanks. Empty means absent. */
  state?: string | undefined
  /** Postal code. White space is folded to single blanks. */
  postal_code: string
  /** Country. */
  country: Country
  /** How the carrier reaches them. */
  contact_information?: ContactInformation | undefined
}

/** What the page would show now. */
export type Step =
  | 'card'
  | 'card_cvv'
  | 'card_verification'
  | 'passkey_registration'
  | 'approval'
  | 'processing'
  | 'done'

/** Walks away after this step. Without it: approves. */
export type StopAfter = 'card' | 'card_verification' | 'passkey'

/** Which kind of event to send as a test. */
export interface TestWebhookRequest {
  /** A kind of event. */
  type: EventType
  /** `true`: it goes the way of every event, with history and retries. `false`: it is sent now, once. */
  queued?: boolean | undefined
}

/** The payment of a session. */
export interface Transaction {
  /** The transaction. */
  txn_id: string
  /** The card that is used; null until one is chosen. */
  card_id: string | null
  /** How the transaction stands. */
  status: TransactionStatus
  /** One for each merchant. None where the service itself buys what was quoted. */
  line_items?: Array<LineItem> | undefined
  /** Why the payment failed. Absent otherwise. */
  error?: PaymentError | undefined
}

/** How the transaction stands. */
export type TransactionStatus = 'initiated' | 'awaiting_result' | 'completed' | 'failed'

/** What is to change; what is absent stays. */
export interface UpdateWebhookEndpointRequest {
  /** Your name for it. White space is folded to single blanks. */
  name?: string | undefined
  /** Where it is: HTTPS on port 443 of a public host, without credentials and fragment. */
  url?: string | undefined
  /** The kinds it is sent. */
  events?: Array<EventType> | undefined
  /** Whether its owner wants it to be sent to. */
  enabled?: boolean | undefined
}

/** A card in the vault, without its number. */
export interface VaultRecord {
  /** Names the record: a UUID. */
  vault_ref_id: string
  /** The last four digits. */
  card_last4: string
  /** The brand; null when it is not known. */
  card_brand: string | null
  /** Month of the expiry. */
  card_exp_month: number
  /** Year of the expiry, four digits. */
  card_exp_year: number
}

/** A card to put in the vault. */
export interface VaultRecordRequest {
  /** The number; blanks and hyphens are ignored. */
  card_number: string
  /** Month of the expiry, 1 to 12. */
  expiry_month: string | number
  /** Year of the expiry, of two or four digits. */
  expiry_year: string | number
  /** The security code. The card network is asked whether it is right; it is never stored. */
  cvv?: string | undefined
  /** The name on the card. Accepted, and not kept. White space is folded to single blanks. Empty means absent. */
  cardholder_name?: string | undefined
}

/** What waits for the owner. */
export interface WaitingForOwner {
  /** `charge`: a question about one that a limit has refused. `session`: a purchase or a mandate to approve. */
  type: WaitingType
  /** The question (`esc_`), or the session (`sess_`). */
  id: string
  /** That is charged, or is to be approved; null of a purchase. */
  mandate_id: string | null
  /** Of the charge: send the same one again. Null of a session. */
  reference: string | null
  /** What it is. */
  amount: string
  /** Of the amount. */
  currency: string
  /** The shop. */
  merchant: WaitingMerchant
  /** Of a charge; null of a session. */
  limit: ChargeLimit | null
  /** Where the owner answers. Show it to your owner, and to nobody else. */
  url: string
  /** Until when the owner can answer. */
  expires_at: string
}

/** The shop. */
export interface WaitingMerchant {
  /** Its name. */
  name: string
  /** Its address. */
  url: string
}

/** `charge`: a question about one that a limit has refused. `session`: a purchase or a mandate to approve. */
export type WaitingType = 'charge' | 'session'

/** One request to an endpoint. */
export interface WebhookAttempt {
  /** Which one it is of the delivery. */
  number: number
  /** When it began. */
  started_at: string
  /** Null while it is on its way, and for ever if the process that sent it died: it counts all the same. */
  finished_at: string | null
  /** The status of the answer; null when none came. */
  http_status: number | null
  /** Null when it was acknowledged, or has no end. */
  category: WebhookAttemptFailure | null
}

/** Why it was not acknowledged. */
export type WebhookAttemptFailure =
  | 'forbidden_url'
  | 'forbidden_address'
  | 'dns'
  | 'connect'
  | 'connect_timeout'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'protocol'
  | 'aborted'
  | 'redirect'
  | 'gone'
  | 'status'

/** One event on its way to one endpoint. */
export interface WebhookDelivery {
  /** The delivery: the `webhook-delivery-id` of its requests. */
  id: string
  /** Where it goes. */
  endpoint_id: string
  /** The event: the `webhook-id` of its requests, the same in every replay. */
  event_id: string
  /** A kind of event. */
  event_type: EventType
  /** Whether it is a test event, which is in no feed. */
  test: boolean
  /** `queued`: it is sent, or sent again. `delivered`: the endpoint answered 2xx. `failed`: its nine attempts or its 72 hours are used up. `cancelled`: its destination was deleted, disabled or moved to another URL. */
  state: WebhookDeliveryState
  /** The delivery that it repeats; null for the first one of an event. */
  replay_of: string | null
  /** How many requests were begun; at most nine. */
  attempt_count: number
  /** The newest one; null when there was none. */
  last_attempt: WebhookAttempt | null
  /** Null unless it is `queued` and its endpoint takes deliveries. */
  next_attempt_at: string | null
  /** Why its endpoint is not sent to now; null unless it is `queued` and waits for that. */
  pause_reason: WebhookPauseReason | null
  /** When it was queued. */
  created_at: string
  /** The end of its 72 hours: no request begins later. */
  expires_at: string
  /** Null while it is `queued`. */
  finished_at: string | null
}

/** A delivery with its attempts and its body. */
export interface WebhookDeliveryDetail {
  /** The delivery: the `webhook-delivery-id` of its requests. */
  id: string
  /** Where it goes. */
  endpoint_id: string
  /** The event: the `webhook-id` of its requests, the same in every replay. */
  event_id: string
  /** A kind of event. */
  event_type: EventType
  /** Whether it is a test event, which is in no feed. */
  test: boolean
  /** `queued`: it is sent, or sent again. `delivered`: the endpoint answered 2xx. `failed`: its nine attempts or its 72 hours are used up. `cancelled`: its destination was deleted, disabled or moved to another URL. */
  state: WebhookDeliveryState
  /** The delivery that it repeats; null for the first one of an event. */
  replay_of: string | null
  /** How many requests were begun; at most nine. */
  attempt_count: number
  /** The newest one; null when there was none. */
  last_attempt: WebhookAttempt | null
  /** Null unless it is `queued` and its endpoint takes deliveries. */
  next_attempt_at: string | null
  /** Why its endpoint is not sent to now; null unless it is `queued` and waits for that. */
  pause_reason: WebhookPauseReason | null
  /** When it was queued. */
  created_at: string
  /** The end of its 72 hours: no request begins later. */
  expires_at: string
  /** Null while it is `queued`. */
  finished_at: string | null
  /** Its requests, the first one first. */
  attempts: Array<WebhookAttempt>
  /** Its endpoint, as it stands now; null once it is deleted. */
  endpoint: {
    /** How it stands now. */
    state: 'paused' | 'unverified' | 'active' | 'circuit_open' | 'disabled'
    /** Why it is not sent to; null while it is `active`. */
    pause_reason: 'not_enabled' | 'unverified' | 'url_changed' | 'circuit_open' | 'gone' | 'forbidden_address' | null
    /** Null unless there is one. */
    open_incident: WebhookIncident | null
  } | null
  /** Null once the body is not kept any more: that of an old event, of which no delivery can be sent. A replay is shown for longer. */
  event: Record<string, unknown> | null
}

/** One page of the deliveries to an endpoint. */
export interface WebhookDeliveryList {
  /** Newest first, 50 at most. */
  data: Array<WebhookDelivery>
  /** The `cursor` of the next page; null when this is the last one. */
  next_cursor: string | null
  /** What waits to be sent to the account. */
  queue: WebhookDeliveryQueue
}

/** What waits to be sent to the account. */
export interface WebhookDeliveryQueue {
  /** Deliveries of the account that are `queued`, to all its endpoints; counted up to 10,000. */
  waiting_count: number
  /** Null when none waits. */
  empty_at: string | null
}

/** `queued`: it is sent, or sent again. `delivered`: the endpoint answered 2xx. `failed`: its nine attempts or its 72 hours are used up. `cancelled`: its destination was deleted, disabled or moved to another URL. */
export type WebhookDeliveryState = 'queued' | 'delivered' | 'failed' | 'cancelled'

/** Where events are sent. */
export interface WebhookEndpoint {
  /** The endpoint. */
  id: string
  /** Your name for it. */
  name: string
  /** Where it is. */
  url: string
  /** The kinds it is sent. */
  events: Array<EventType>
  /** Whether its owner wants it to be sent to. */
  enabled: boolean
  /** Whether it has returned the challenge of its present URL. */
  verified: boolean
  /** How it stands. Only `active` is sent to. `unverified`: verify it. `paused`: enable it. `circuit_open`: it failed five times in a row and rests for five minutes, then one probe is sent. `disabled`: by the service; verify it anew. */
  state: WebhookEndpointState
  /** Null while it is `active`. */
  pause_reason: WebhookPauseReason | null
  /** Of its destination. It rises when the URL changes and when the endpoint is disabled; what was queued for an earlier one is cancelled. */
  revision: number
  /** Null unless it is `circuit_open` or `disabled`, or was paused in such a time. */
  open_incident: WebhookIncident | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/** All endpoints of the account. */
export interface WebhookEndpointList {
  /** The oldest first; at most five. */
  data: Array<WebhookEndpoint>
  /** Always null: the list is whole. */
  next_cursor: null
}

/** How it stands. Only `active` is sent to. `unverified`: verify it. `paused`: enable it. `circuit_open`: it failed five times in a row and rests for five minutes, then one probe is sent. `disabled`: by the service; verify it anew. */
export type WebhookEndpointState = 'paused' | 'unverified' | 'active' | 'circuit_open' | 'disabled'

/** A kind of event, and what its body looks like. */
export interface WebhookEventType {
  /** A kind of event. */
  type: EventType
  /** When it is captured. */
  description: string
  /** JSON schema of the whole body. */
  schema: Record<string, unknown>
  /** A body with nothing real in it. */
  example: Record<string, unknown>
}

/** All kinds of events. */
export interface WebhookEventTypeList {
  /** All kinds. */
  data: Array<WebhookEventType>
  /** Always null: the list is whole. */
  next_cursor: null
}

/** A time in which an endpoint does not get what it should. */
export interface WebhookIncident {
  /** The incident. */
  id: string
  /** `circuit_open`: five attempts in a row were not acknowledged. `gone`: it answered 410. `forbidden_address`: its name leads to an address that nothing may be sent to. */
  reason: WebhookIncidentReason
  /** Since when. */
  opened_at: string
}

/** `circuit_open`: five attempts in a row were not acknowledged. `gone`: it answered 410. `forbidden_address`: its name leads to an address that nothing may be sent to. */
export type WebhookIncidentReason = 'circuit_open' | 'gone' | 'forbidden_address'

/** Why it is not sent to. */
export type WebhookPauseReason =
  | 'not_enabled'
  | 'unverified'
  | 'url_changed'
  | 'circuit_open'
  | 'gone'
  | 'forbidden_address'

/** The catching up of an endpoint with a range of time. */
export interface WebhookRecovery {
  /** The recovery. */
  id: string
  /** The endpoint. */
  endpoint_id: string
  /** The time of the first event. */
  from: string
  /** The time of the last event. */
  to: string
  /** `running`: events are being queued. `completed`: all of the range are. `cancelled`: the endpoint was deleted, disabled or moved to another URL. */
  state: WebhookRecoveryState
  /** How many events are queued so far. */
  queued_count: number
  /** When it was asked for. */
  created_at: string
  /** Null while it is `running`. */
  finished_at: string | null
}

/** `running`: events are being queued. `completed`: all of the range are. `cancelled`: the endpoint was deleted, disabled or moved to another URL. */
export type WebhookRecoveryState = 'running' | 'completed' | 'cancelled'

/** What came of a test event. */
export interface WebhookTestResult {
  /** The `id` of the test event. It is in no feed. */
  event_id: string
  /** The `webhook-delivery-id` it is sent with. */
  delivery_id: string
  /** Whether it was queued. Its delivery then tells what became of it. */
  queued: boolean
  /** Null when it was queued. */
  result: {
    /** Whether the endpoint answered with a 2xx status. */
    acknowledged: boolean
    /** The status; null when no answer came. */
    http_status: number | null
    /** Null when it was acknowledged. */
    category: WebhookAttemptFailure | null
    /** How long the request took, in milliseconds. */
    duration_ms: number
  } | null
}

/** The same, wrapped as in a session. */
export interface WrappedChargePurchase {
  /** What one charge is for. Without `merchant_details` the mandate's own merchant is meant. */
  custom: ChargePurchase
}

/** What each operation takes and returns. */
export interface Operations {
  /** Create a payment session. */
  createSession: { params: undefined; query: undefined; body: CreateSessionRequest; response: Session }
  /** Read the payment result. */
  getPaymentResult: { params: { sessionId: string }; query: undefined; body: undefined; response: PaymentResult }
  /** Report the outcome of a checkout. */
  reportStatus: {
    params: { sessionId: string }
    query: undefined
    body: ReportStatusRequest
    response: ReportStatusResult
  }
  /** Revoke a session. */
  revokeSession: { params: { sessionId: string }; query: undefined; body: undefined; response: RevokeResult }
  /** Search products. */
  searchCatalog: { params: undefined; query: undefined; body: SearchCatalogRequest; response: CatalogPage }
  /** Read a product. */
  getCatalogProduct: { params: { productId: string }; query: undefined; body: undefined; response: CatalogProduct }
  /** Ask for a quote. */
  createQuote: { params: undefined; query: undefined; body: CreateQuoteRequest; response: Quote }
  /** Read a quote. */
  getQuote: { params: { quoteId: string }; query: undefined; body: undefined; response: Quote }
  /** List the cards of a customer. */
  listCards: {
    params: undefined
    query: {
      /** Your own `user_id` of the customer, or our `cus_` id. */
      customer_id: string
      /** `all`: deleted cards as well. */
      status?: 'active' | 'all' | undefined
      /** Whether to fill `card_art_url` and `metadata`. */
      include_card_art?: boolean | undefined
    }
    body: undefined
    response: CardList
  }
  /** Delete a card. */
  deleteCard: { params: undefined; query: undefined; body: DeleteCardRequest; response: DeletedCard }
  /** Put a card in the vault. */
  createVaultRecord: { params: undefined; query: undefined; body: VaultRecordRequest; response: VaultRecord }
  /** Enroll a card without a payment. */
  enrollCard: { params: undefined; query: undefined; body: EnrollCardRequest; response: EnrollCardResponse }
  /** Read how an enrollment stands. */
  getEnrollmentStatus: {
    params: { sessionId: string }
    query: undefined
    body: undefined
    response: EnrollmentStatusResource
  }
  /** List mandates. */
  listMandates: {
    params: undefined
    query: {
      /** Only of this customer: our `cus_` id, or else your own `user_id`. An unknown one has none. One that is both, of two customers, is refused. */
      customer_id?: string | undefined
      /** Leaves out the one-time mandates that ordinary checkouts make. */
      standing_only?: boolean | undefined
      /** How many are returned at most. */
      limit?: number | undefined
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined
      /** Control-plane keys only, and needed there: the user of the dashboard. Only what is theirs is seen. */
      dashboard_user_id?: string | undefined
      /** Control-plane keys only: one agent of that user. */
      agent_id?: string | undefined
    }
    body: undefined
    response: MandateList
  }
  /** Read a mandate. */
  getMandate: {
    params: { mandateId: string }
    query: {
      /** Control-plane keys only, and needed there: the user of the dashboard. Only what is theirs is seen. */
      dashboard_user_id?: string | undefined
      /** Control-plane keys only: one agent of that user. */
      agent_id?: string | undefined
    }
    body: undefined
    response: MandateDetail
  }
  /** Pause a mandate. */
  pauseMandate: {
    params: { mandateId: string }
    query: {
      /** Control-plane keys only, and needed there: the user of the dashboard. Only what is theirs is seen. */
      dashboard_user_id?: string | undefined
      /** Control-plane keys only: one agent of that user. */
      agent_id?: string | undefined
    }
    body: undefined
    response: Mandate
  }
  /** Resume a paused mandate. */
  resumeMandate: {
    params: { mandateId: string }
    query: {
      /** Control-plane keys only, and needed there: the user of the dashboard. Only what is theirs is seen. */
      dashboard_user_id?: string | undefined
      /** Control-plane keys only: one agent of that user. */
      agent_id?: string | undefined
    }
    body: undefined
    response: Mandate
  }
  /** Cancel a mandate. */
  cancelMandate: {
    params: { mandateId: string }
    query: {
      /** Control-plane keys only, and needed there: the user of the dashboard. Only what is theirs is seen. */
      dashboard_user_id?: string | undefined
      /** Control-plane keys only: one agent of that user. */
      agent_id?: string | undefined
    }
    body: undefined
    response: Mandate
  }
  /** Charge a mandate. */
  chargeMandate: {
    params: { mandateId: string }
    query: {
      /** Only says whether the charge would pass, and why not. Nothing is charged or written. */
      dry_run?: boolean | undefined
      /** Always refused with `FORBIDDEN`: a dashboard neither charges nor reports, and a key of the merchant names no user. */
      dashboard_user_id?: string | undefined
      /** Always refused with `FORBIDDEN`: a dashboard neither charges nor reports, and a key of the merchant names no user. */
      agent_id?: string | undefined
    }
    body: ChargeRequest
    response: MandateChargeResult
  }
  /** Report the outcome of a charge. */
  reportCharge: {
    params: { mandateId: string; txnId: string }
    query: {
      /** Always refused with `FORBIDDEN`: a dashboard neither charges nor reports, and a key of the merchant names no user. */
      dashboard_user_id?: string | undefined
      /** Always refused with `FORBIDDEN`: a dashboard neither charges nor reports, and a key of the merchant names no user. */
      agent_id?: string | undefined
    }
    body: ChargeReportRequest
    response: ChargeReportResult
  }
  /** Ask an owner to link an agent. */
  linkAgent: { params: undefined; query: undefined; body: LinkAgentRequest; response: AgentLink }
  /** See how a link stands. */
  getAgentLink: { params: { linkId: string }; query: undefined; body: undefined; response: AgentLinkStanding }
  /** Read who you are and what you may do. */
  getAgent: { params: undefined; query: undefined; body: undefined; response: AgentMe }
  /** Change what you are called. */
  changeAgent: { params: undefined; query: undefined; body: ChangeAgentRequest; response: AgentMe }
  /** Change your key. */
  changeAgentKey: { params: undefined; query: undefined; body: ChangeAgentKeyRequest; response: AgentKeyChange }
  /** Ask your owner to approve a purchase. */
  createAgentSession: { params: undefined; query: undefined; body: CreateAgentSessionRequest; response: AgentSession }
  /** List your sessions. */
  listAgentSessions: {
    params: undefined
    query: {
      /** How many are returned at most. */
      limit?: number | undefined
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined
    }
    body: undefined
    response: AgentSessionList
  }
  /** Read how your session stands. */
  getAgentPaymentResult: {
    params: { sessionId: string }
    query: undefined
    body: undefined
    response: AgentPaymentResult
  }
  /** Report the outcome of your purchase. */
  reportAgentStatus: {
    params: { sessionId: string }
    query: undefined
    body: ReportStatusRequest
    response: ReportStatusResult
  }
  /** Let a customer replace a lost passkey. */
  resetPasskey: { params: { userId: string }; query: undefined; body: undefined; response: PasskeyReset }
  /** Read the feed of events. */
  listEvents: {
    params: undefined
    query: {
      /** `0` begins with the oldest event that is kept; else a `next_cursor`, however old. One from before what is kept goes on with the oldest. */
      cursor?: string | undefined
      /** How many are returned at most. */
      limit?: number | undefined
      /** Only events of this kind. */
      type?:
        | 'payment.credentials_ready'
        | 'payment.succeeded'
        | 'payment.failed'
        | 'charge.report_overdue'
        | 'session.revoked'
        | 'card_enrollment.completed'
        | 'card_enrollment.failed'
        | 'card_enrollment.cancelled'
        | 'card_enrollment.expired'
        | 'mandate.created'
        | 'mandate.creation_failed'
        | 'mandate.creation_cancelled'
        | 'mandate.creation_expired'
        | 'mandate.paused'
        | 'mandate.resumed'
        | 'mandate.cancelled'
        | 'mandate.consumed'
        | 'mandate.expired'
        | 'card.deleted'
        | 'passkey.reset_allowed'
        | undefined
      /** Only events about this resource. */
      resource_id?: string | undefined
      /** Only events that happened at this time or later. */
      from?: string | undefined
      /** Only events that happened at this time or earlier; at most 30 days after `from`. */
      to?: string | undefined
    }
    body: undefined
    response: EventList
  }
  /** Read an event. */
  getEvent: { params: { eventId: string }; query: undefined; body: undefined; response: MintmarkEvent }
  /** List the kinds of events. */
  listWebhookEventTypes: { params: undefined; query: undefined; body: undefined; response: WebhookEventTypeList }
  /** List the webhook endpoints. */
  listWebhookEndpoints: { params: undefined; query: undefined; body: undefined; response: WebhookEndpointList }
  /** Create a webhook endpoint. */
  createWebhookEndpoint: {
    params: undefined
    query: undefined
    body: CreateWebhookEndpointRequest
    response: CreatedWebhookEndpoint
  }
  /** Read a webhook endpoint. */
  getWebhookEndpoint: { params: { endpointId: string }; query: undefined; body: undefined; response: WebhookEndpoint }
  /** Change a webhook endpoint. */
  updateWebhookEndpoint: {
    params: { endpointId: string }
    query: undefined
    body: UpdateWebhookEndpointRequest
    response: WebhookEndpoint
  }
  /** Delete a webhook endpoint. */
  deleteWebhookEndpoint: {
    params: { endpointId: string }
    query: undefined
    body: undefined
    response: DeletedWebhookEndpoint
  }
  /** Verify a webhook endpoint. */
  verifyWebhookEndpoint: {
    params: { endpointId: string }
    query: undefined
    body: undefined
    response: WebhookEndpoint
  }
  /** Send a test event. */
  testWebhookEndpoint: {
    params: { endpointId: string }
    query: undefined
    body: TestWebhookRequest
    response: WebhookTestResult
  }
  /** Rotate the secret of a webhook endpoint. */
  rotateWebhookSecret: {
    params: { endpointId: string }
    query: undefined
    body: undefined
    response: RotatedWebhookSecret
  }
  /** List the deliveries to an endpoint. */
  listWebhookDeliveries: {
    params: { endpointId: string }
    query: {
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined
    }
    body: undefined
    response: WebhookDeliveryList
  }
  /** Read a delivery. */
  getWebhookDelivery: {
    params: { deliveryId: string }
    query: undefined
    body: undefined
    response: WebhookDeliveryDetail
  }
  /** Send a delivery again. */
  replayWebhookDelivery: {
    params: { deliveryId: string }
    query: undefined
    body: undefined
    response: WebhookDelivery
  }
  /** Catch up an endpoint. */
  recoverWebhookEndpoint: {
    params: { endpointId: string }
    query: undefined
    body: RecoverWebhookEndpointRequest
    response: WebhookRecovery
  }
  /** Finish the cardholder's part headlessly. */
  completeSession: { params: { sessionId: string }; query: undefined; body: CompleteRequest; response: CompleteResult }
  /** Approve an agent's link as its owner. */
  approveAgentLink: { params: { linkId: string }; query: undefined; body: ApproveLinkRequest; response: ApprovedLink }
  /** Publish an agent, or take that back, as its owner. */
  publishAgent: { params: { agentId: string }; query: undefined; body: PublishAgentRequest; response: PublishedAgent }
  /** Answer what an agent's charge asks, as its owner. */
  decideAgentEscalation: {
    params: { escalationId: string }
    query: undefined
    body: DecideEscalationRequest
    response: DecidedEscalation
  }
  /** Move the sandbox's clock forward. */
  advanceClock: { params: undefined; query: undefined; body: AdvanceClockRequest; response: ClockTime }
  /** Spend a minted credential at the sandbox acquirer. */
  authorize: { params: undefined; query: undefined; body: AuthorizationRequest; response: Authorization }
}

/** An operation of the main API, by its `operationId`. */
export type OperationId = keyof Operations

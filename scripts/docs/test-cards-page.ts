import { RESPONSE_CODES } from '../../apps/server/src/network/simulator/response-codes.ts'
import {
  type Behaviour,
  STEP_UP_CODE,
  STEP_UP_TRIES,
  TEST_CARDS,
  WRONG_CVV,
} from '../../apps/server/src/network/simulator/test-cards.ts'
import { code, type Page, page, table } from './markdown.ts'

/** What a merchant sees. Keyed by the union, so a new script does not compile until it is explained here. */
const SEEN: Readonly<Record<Behaviour, string>> = {
  success: 'The payment goes through.',
  step_up: `The cardholder is asked for a code. It is always ${code(STEP_UP_CODE)}. After ${STEP_UP_TRIES} wrong codes the card must be entered again.`,
  bin_country_refused: 'The page gets `CARD_REFUSED`; the session stays `pending`.',
  bin_issuer_refused: 'The page gets `CARD_REFUSED`; the session stays `pending`.',
  cvv_mismatch: 'The page gets `CARD_REFUSED`; the session stays `pending`.',
  card_declined: 'The page gets `CARD_REFUSED`; the session stays `pending`.',
  provision_answer_lost: 'The page gets `NETWORK_UNAVAILABLE` once. The same card again works.',
  device_binding_fails_once:
    'The page gets `CARD_REFUSED` with `DEVICE_BINDING_FAILED` once. The same card again works.',
  insufficient_funds: 'A credential is minted; the acquirer declines it. Report `DECLINED`.',
  do_not_honour: 'A credential is minted; the acquirer declines it. Report `DECLINED`.',
  instruction_refused:
    'The session fails with `CARD_DECLINED` after the approval; a mandate that it sets up is `cancelled`.',
  instruction_answer_lost:
    'The session stays `processing` for a moment. The service asks again, and the mandate becomes `active`, or the credential appears.',
  mint_declined: 'The session fails with `CARD_DECLINED` after the approval.',
  mint_answer_lost: 'The session stays `processing` for a moment. The service inquires, and the credential appears.',
  mint_request_lost: 'The session stays `processing` for a moment. The service asks again, and the credential appears.',
  mint_hangs: 'The session stays `processing` for a moment, and ends with one credential.',
  confirmation_fails_once: 'The first report gets a 502 `NETWORK_CONFIRMATION_FAILED`. The same report again succeeds.',
  confirmation_refused: 'The report succeeds with `network_confirmation: "FAILURE"`.',
  deletion_fails_once:
    '`deleteCard`: `NETWORK_DELETE_FAILED` the first time; the card stays. Asked again, it is deleted.',
  deletion_answer_lost:
    '`deleteCard`: `NETWORK_DELETE_FAILED` the first time, although the network deleted its token. Asked again, the card is deleted.',
  release_fails_once:
    'The credential of a charge lapses, and is shown no more. The network is asked again a second later: the charge is `failed` with `CREDENTIAL_LAPSED`.',
  release_answer_lost: 'As above: the network had ended the credential the first time, and gives the amount back once.',
  credential_expired: 'A credential is minted; the acquirer says it is expired. Report `DECLINED`.',
}

/** docs/guides/test-cards.md: every scripted card. */
export function testCardsPage(): Page {
  return page('docs/guides/test-cards.md', 'apps/server/src/network/simulator/test-cards.ts and response-codes.ts', [
    '# Test cards',
    INTRODUCTION,
    table(
      ['Number', 'Brand', 'Script', 'What you see'],
      TEST_CARDS.map(({ number, brand, label, behaviour }) => [code(grouped(number)), brand, label, SEEN[behaviour]]),
    ),
    '## Codes',
    table(
      ['What', 'Value'],
      [
        ['Verification code (step-up)', code(STEP_UP_CODE)],
        ['A CVV that is wrong for every card', code(WRONG_CVV)],
        ['Any other CVV', 'right; three digits, four for amex'],
        ['Expiry', 'any month that has not passed'],
      ],
    ),
    '## Response codes of the sandbox acquirer',
    ACQUIRER,
    table(
      ['Code', 'Meaning'],
      Object.entries(RESPONSE_CODES).map(([number, meaning]) => [code(number), meaning]),
    ),
  ])
}

const INTRODUCTION = `For the sandbox's simulated card network. Any other number with a valid check digit behaves like the plain success
card. On the page, type the number. Without a browser, send it as \`card_number\` to
\`POST /v1/test_helpers/sessions/{sessionId}/complete\`. **Use a new \`user_id\` for each script**, or name the card: a
returning customer's saved cards stay.`

const ACQUIRER = `\`POST /v1/test_helpers/authorizations\` plays the acquirer of the shop where a credential is spent. It returns HTTP 200 with
\`approved\` and one of these codes. A wrong CVV is judged first, so that who does not know it learns nothing else.

Some shops check a card before they charge it. An \`amount\` of \`"0.00"\` is such a check: it is approved while the credential is good, and uses
nothing up. **A check of \`1.00\` is a payment**: it uses the credential up, and the charge behind it is refused with \`57\`, here as at a
real network. At a shop that checks with an amount a credential buys nothing: ask it for checks of zero, or for none.`

function grouped(number: string): string {
  return number.length === 15
    ? number.replace(/^(\d{4})(\d{6})(\d{5})$/, '$1 $2 $3')
    : number.replace(/(\d{4})(?=\d)/g, '$1 ')
}

/**
 * What an agent gets in place of a credential: a JWE (RFC 7516) in four pieces, each base64url. `ECDH-ES` over X25519 with `A256GCM`; the
 * protected header is `{"alg":"ECDH-ES","enc":"A256GCM","epk":{"kty":"OKP","crv":"X25519","x":…}}`, `x` being `ephemeral_public_key`.
 */
export interface EncryptedPayload {
  ephemeral_public_key: string
  iv: string
  auth_tag: string
  data: string
}

interface PayloadVector {
  name: string
  /** The agent's key, as a JWK with its private part `d`: made up, and known to everybody. */
  recipient: { kty: 'OKP'; crv: 'X25519' | 'Ed25519'; x: string; d: string }
  /** The ephemeral key that a maker would have drawn, base64url. */
  ephemeral_private_key: string
  /** What the payload says. */
  text: string
  payload: EncryptedPayload
}

const TEXT =
  '{"token":"4000056655665556","dynamicCvv":"123","expiryMonth":"12","expiryYear":"2029","mandateId":"mdt_0000000000vector","transactionId":"txn_0000000000vector"}'

/** What any implementation has to open, and to make when chance gives the same key and iv. */
export const AGENT_PAYLOAD_VECTORS: readonly PayloadVector[] = [
  {
    name: 'to an X25519 key',
    recipient: {
      kty: 'OKP',
      crv: 'X25519',
      x: 'Xvo5SnTw-Ul_-3mk2qwrpm7AAZkCaIoVsEzc2TLiFiI',
      d: '81rgrGyWpaZ4vgH5zEAPAhgN7O_rv7vWX5T9698PNl0',
    },
    ephemeral_private_key: 'nXwSJ8wK3iZZUw83fgADLDRXq0lqxv6RURe1mLRFhSU',
    text: TEXT,
    payload: {
      ephemeral_public_key: 'Wp8ihVdXF6WDcapAsW5gUELggv39lZHa60rIFOse2SI',
      iv: 'cm_-k3gaupYA9-6a',
      auth_tag: 'fQ03soKAqOPbFSOF6DhwYQ',
      data: '95Bf9jVxn88ddVkyAcQO_aMrZMmD68kcOozC8Xunu1NBuYSxQ1348vEvuXzDVDPLLTZAdTTZjAznAmtpeUSc4uwWfAoEvYSLtZJbDdU4IsILZEzbkRgPr7Hw9bJKuKGAz679JK834rdR24jyZmZQSXr1BUvg1FacjT_z2BE1gJrMsdld_BLDFZ8fTm08RuwTpZAeCjyxBd-_7QGvlZhBDw',
    },
  },
  {
    name: 'to an Ed25519 key, mapped',
    recipient: {
      kty: 'OKP',
      crv: 'Ed25519',
      x: 'GkdprYpIv4BZIZVbatKcVqrv74zYv8WtOZ3O_cOpgnI',
      d: 'A5B7-Tpz3bjI__Q9bh_njV0bGzVYoFW6r_CPHnyz9ls',
    },
    ephemeral_private_key: 'VpTrd233lgQkcYz7fDleXQ90pCiI5fkOOLIET--DmJQ',
    text: TEXT,
    payload: {
      ephemeral_public_key: 'wGswUM3wePMovJPPtEjs5RSHsfob6coSPEWXB-UQjgM',
      iv: 'wwoUOk-_wtI3fWnT',
      auth_tag: '-lwWjD15g0uGBtUUrW5QFA',
      data: 'Jeyyh80RZ1A__Uyky5OumQofXGoF0ZXfSfJvHGahQkX8H3xwzVW5dlxQI0KCoHVqbV7hYkjY53s1jWcy5PZAp58d8YVb7h3Zu3DwcLfk6KJBlpHpAITSdCi__l4Ey55YDl91m3H-e0chMlqt_0nOnzr2UsBiO83wlgNzLXvrr93yJX27YHjqPYTPYaLeWOuy1xLtrDOkTetAYnMgdfl2Ng',
    },
  },
]

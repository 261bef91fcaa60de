/** For a statement that payments pass where nothing goes wrong, and for any: parts of WITH, characters, parameters. */
export const STATEMENT_LIMITS = {
  hot: { parts: 3, characters: 1_500, parameters: 15 },
  any: { parts: Number.POSITIVE_INFINITY, characters: 3_000, parameters: 25 },
}

// What is wider than a statement may be, with the parts of WITH, characters and parameters that it has. The shape of ADR 0080 ends
// these one by one; nothing is added.
export const WIDE_STATEMENTS: Readonly<Record<string, readonly [number, number, number]>> = {
  'charges.claim_minting': [1, 1685, 5],
  'charges.claim_report': [1, 2518, 12],
  'charges.insert_refused_asking': [2, 2228, 36],
  'charges.insert_opened': [1, 1547, 23],
  'charges.update_minted': [3, 962, 19],
  'charges.update_paid': [4, 1228, 16],
  'charges.update_standing_minted': [1, 608, 17],
  'ledger.insert_transfer': [5, 1734, 10],
  'sessions.approve_payment': [3, 1173, 23],
  'sessions.approve_quoted_payment': [4, 1528, 26],
  'sessions.insert_agent_payment': [9, 2579, 32],
  'sessions.insert_agent_setup': [9, 2774, 36],
  'sessions.insert_enrolled_passkey': [13, 2911, 27],
  'sessions.insert_payment': [10, 3045, 33],
  'sessions.insert_plain_payment': [5, 1734, 33],
  'sessions.insert_quoted_agent_payment': [11, 2986, 34],
  'sessions.insert_quoted_payment': [12, 3455, 35],
  'sessions.insert_setup': [10, 3226, 37],
  'stock.update_taken': [4, 854, 3],
}

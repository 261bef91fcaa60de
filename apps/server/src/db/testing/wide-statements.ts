/** Of a statement that payments pass where nothing goes wrong, and of any: parts of WITH, characters, parameters. */
export const STATEMENT_LIMITS = {
  hot: { parts: 3, characters: 1_500, parameters: 15 },
  any: { parts: Number.POSITIVE_INFINITY, characters: 3_000, parameters: 25 },
}

// What is wider than a statement may be, with the parts of WITH, characters and parameters that it has. The shape of ADR 0080 ends
// these one by one; nothing is added.
export const WIDE_STATEMENTS: Readonly<Record<string, readonly [number, number, number]>> = {
  'charges.claim_minting': [1, 1817, 5],
  'charges.claim_report': [3, 2838, 12],
  'charges.insert_refused_asking': [2, 2228, 36],
  'charges.insert_opened': [2, 1896, 23],
  'charges.update_minted': [5, 1216, 19],
  'charges.update_paid': [6, 1432, 16],
  'charges.update_standing_minted': [3, 862, 17],
  'charges.update_standing_paid': [4, 981, 15],
  'ledger.insert_transfer': [5, 1734, 10],
  'sessions.approve_payment': [4, 1455, 23],
  'sessions.approve_quoted_payment': [4, 1558, 26],
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

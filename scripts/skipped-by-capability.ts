/**
 * What the conformance suite of card networks does not ask of one that cannot do it, by the full names of the tests. CI
 * skips these and no others: a test that is skipped and not named here fails the run, and so does one that is named and
 * was not skipped.
 */
export const SKIPPED_BY_CAPABILITY: readonly string[] = [
  'card network: stripe provisioning a refusal says why, and another card under the same id is a new attempt',
  'card network: stripe provisioning a step-up ends in a token by the right code, and the same again',
  'card network: stripe provisioning wrong codes exhaust a step-up, and then the right one is refused too',
  'card network: stripe entries of a card another entry of an active card is judged anew, and changes nothing of its token',
  'card network: stripe entries of a card a code is asked for when it is required, of an active card and of a new one',
  'card network: stripe entries of a card wrong codes exhaust one entry of an active card; the card stays, and another entry works',
  'card network: stripe a card that is looked at is judged as an entry of it would be, and nothing is made of it',
  'card network: stripe the end of a card that the network never heard of no code makes a token of it',
  'card network: stripe new codes a new code ends the one before, leaves as many tries, and is sent once; for a new card and an active one',
  'card network: stripe new codes no new code brings back a card of which no try is left',
  'card network: stripe cards whose cardholder is not there one that waits for its code is accepted as well, and the code is asked for where it must be',
  'card network: stripe cards whose cardholder is not there one that the network refuses is refused',
  'card network: stripe the life of a credential a credential lives as long as its charge asks for, and no longer than its instruction',
]

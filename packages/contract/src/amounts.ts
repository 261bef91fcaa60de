/** The one grammar of amounts on the wire; at most 12 integer digits. */
export const AMOUNT_PATTERN = '^\\d{1,12}(\\.\\d{1,2})?$'

/** What is wrong with a text outside that grammar, to be read after the field's name. */
export const AMOUNT_PROBLEM =
  'must be a decimal string with up to 12 integer digits and up to 2 decimals, such as "40.00"'

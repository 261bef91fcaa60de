/** Words of the sandbox: its bar, and its time. */
export const en = {
  sandbox: 'Sandbox',
  words: 'No real money moves.',
  itIs: 'It is',
  quarter: '+15 min',
  day: '+1 day',
  onTheClock: 'on the clock of the sandbox',
  toRenewal: 'To the next renewal',
  toRenewalWords: 'Moves the time of the whole sandbox, which never goes back.',
  moved: (time: string) => `The time of the sandbox is now ${time}.`,
  notKnown: 'No answer came. The time that is shown says whether it was moved.',
}

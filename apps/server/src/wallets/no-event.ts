/** Why the changes of this API are silent: it tells how things stand when it is asked, and nothing by itself. */
export const NO_EVENT = 'The wallet API has no events.'

import { errorPageOf } from '../surface/plain-page.ts'

export const ownerErrorPage = errorPageOf({
  lost: {
    title: 'Page not found',
    heading: 'This address leads nowhere',
    text: 'Open the link again from where you got it, or copy all of it. Nothing was allowed by opening this address.',
  },
  busy: {
    title: 'One moment, please',
    heading: 'One moment, please',
    text: 'This page is asked for too often right now. Load it again in a minute.',
  },
  broken: {
    title: 'That did not work',
    heading: 'That did not work',
    text: 'The page cannot be shown right now. Load it again in a moment. Nothing was allowed by opening it.',
  },
})

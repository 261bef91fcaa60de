import type { DeliveryTable } from '../../webhooks/story.ts'

const MEND = 'Repair your server, then press “Send again”.'
const VERIFY = 'Verify the endpoint, then enable it.'

export const deliveries: DeliveryTable = {
  arrived: (answer) => ({
    why: answer === null ? 'It arrived.' : `It arrived: your endpoint answered ${answer}.`,
    next: 'There is nothing to do. It can be sent again all the same: it has the same webhook-id.',
  }),
  sending: { why: 'It is about to be sent.', next: 'There is nothing to do.' },
  notYet: 'It has not arrived yet. It is tried again by itself.',
  never: 'It did not arrive, and is not tried any more. The event is in the feed.',
  cancelled: {
    why: 'It was cancelled: its endpoint was deleted, disabled or moved.',
    next: 'The event is in the feed. Send it again once its endpoint is back.',
  },
  lostOnTheWay: {
    why: 'The process that sent it ended before an answer came.',
    next: 'There is nothing to do: it is tried again.',
  },
  paused: {
    not_enabled: { why: 'It waits, because its endpoint is switched off.', next: 'Enable the endpoint.' },
    unverified: { why: 'It waits, because its endpoint is not verified.', next: VERIFY },
    url_changed: { why: 'It waits, because the address of its endpoint was changed.', next: VERIFY },
    circuit_open: {
      why: 'It waits, because its endpoint failed five times in a row.',
      next: 'Repair your server: every five minutes one attempt is made, and a good answer lets all of them through.',
    },
    gone: { why: 'It waits, because its endpoint answered that it is gone.', next: VERIFY },
    forbidden_address: {
      why: 'It waits, because the name of its endpoint leads to a private address.',
      next: 'Correct the name or the URL, then verify the endpoint.',
    },
  },
  failures: {
    forbidden_url: () => ({ why: 'Its URL is one that may not be called.', next: 'Change the URL of the endpoint.' }),
    forbidden_address: () => ({
      why: 'The name leads to a private or reserved address.',
      next: 'Correct the name, or change the URL of the endpoint.',
    }),
    dns: () => ({ why: 'The name has no address.', next: 'Look at the DNS of the name.' }),
    connect: () => ({ why: 'No connection came about: it was refused.', next: 'See that your server listens on 443.' }),
    connect_timeout: () => ({
      why: 'No connection came about within three seconds.',
      next: 'Look at the firewall in front of your server.',
    }),
    tls: () => ({ why: 'The certificate is not good.', next: 'Renew the certificate, with its whole chain.' }),
    timeout: () => ({
      why: 'Your server did not answer within ten seconds.',
      next: 'Answer 2xx first, and do the work afterwards.',
    }),
    reset: () => ({ why: 'The connection ended before an answer came.', next: MEND }),
    protocol: () => ({ why: 'What came was no answer of HTTP/1.1.', next: MEND }),
    aborted: () => ({ why: 'We ended it ourselves, because a process stopped.', next: 'There is nothing to do.' }),
    redirect: (answer) => ({
      why: `Your server answered ${answer ?? 'with a redirect'} and sent us elsewhere; that is not followed.`,
      next: 'Change the URL of the endpoint to where it really is.',
    }),
    gone: () => ({ why: 'Your server answered 410: no receiver is there any more.', next: VERIFY }),
    status: (answer) => ({ why: `Your server answered ${answer ?? 'something else than 2xx'}.`, next: MEND }),
  },
}

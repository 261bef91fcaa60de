import { CONTACT_ROLES, type ContactRole } from '@mintmark/contract'
import type { Command } from 'commander'
import type { Operated } from '../compose/operated.ts'
import type { Contact } from '../mail/service.ts'
import { notFound } from '../platform/errors.ts'
import { among, needed } from './usage.ts'

type Admin = Pick<Operated, 'mail' | 'mailDescription' | 'merchants'>
type Run = (work: (app: Admin) => Promise<unknown>) => Promise<void>

interface Options {
  email?: string
  role?: ContactRole
}

/** `merchant contacts …`: the addresses to which the service writes about an account. */
export function addContactCommands(contacts: Command, run: Run): void {
  const verb = (name: string, description: string) =>
    contacts.command(name).description(description).argument('<ID>', 'the merchant')
  verb('add', 'mail a link to an address; once it was opened, the address is told of incidents')
    .option('--email <address>', 'the address; required')
    .option('--role <role>', 'developer (the default) or admin', among('--role', CONTACT_ROLES))
    .action((id: string, { email, role = 'developer' }: Options) => {
      const contact = { email: needed(email, '--email'), role }
      return run(async ({ mail, mailDescription }) =>
        withWord(await mail.addContact(needed(id, 'ID'), contact), mailDescription),
      )
    })
  verb('resend', 'mail another link; the one before opens nothing any more')
    .option('--email <address>', 'the address; required')
    .action((id: string, { email }: Options) => {
      const address = needed(email, '--email')
      return run(async ({ mail, mailDescription }) =>
        withWord(await mail.resendLink(needed(id, 'ID'), address), mailDescription),
      )
    })
  verb('remove', 'forget an address; what was queued for it is not sent')
    .option('--email <address>', 'the address; required')
    .action((id: string, { email }: Options) => {
      const address = needed(email, '--email')
      return run(({ mail }) => mail.removeContact(needed(id, 'ID'), address))
    })
  verb('list', 'its contacts').action((id: string) =>
    run(async ({ mail, merchants }) => {
      const merchantId = needed(id, 'ID')
      if ((await merchants.findMerchant(merchantId)) === undefined) throw notFound()
      return mail.listContacts(merchantId)
    }),
  )
}

/** With how mails leave here: without a mail server the operator should know it now. */
function withWord(contact: Contact, mailDescription: string) {
  return { ...contact, mail: mailDescription }
}

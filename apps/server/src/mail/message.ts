import MailComposer from 'nodemailer/lib/mail-composer'
import type { Words } from './words.ts'

interface Headers {
  id: string
  /** The host of the deployment: with the id, the name of the mail in the world. */
  host: string
  from: string
  /** The name by which people know the operator, who sends it. */
  sender: string
  to: string
  date: Date
}

/** The Message-ID of a mail: the same in every try, so that a duplicate is known for one. */
function messageIdOf({ id, host }: Pick<Headers, 'id' | 'host'>): string {
  return `<${id}@${host}>`
}

/**
 * The bytes of a mail, as text and as simple HTML. Nothing in them is random or of this moment: a second try sends the same.
 * Addresses are given as values, so that none is read as two, and texts as such: a line break in one is no header.
 */
export async function composeMessage(headers: Headers, words: Words): Promise<Buffer> {
  const composer = new MailComposer({
    from: { name: oneLine(headers.sender), address: headers.from },
    to: { name: '', address: headers.to },
    subject: oneLine(words.subject),
    text: plainText(words),
    html: htmlText(words),
    messageId: messageIdOf(headers),
    date: headers.date,
    baseBoundary: headers.id,
    newline: 'win',
    // No vacation notice is wanted, nor any other reply by a machine (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}

/** A name may hold anything; a header is one line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}

function plainText({ heading, parts, footer }: Words): string {
  const lines = parts.map((part) => {
    switch (part.type) {
      case 'text':
        return part.text
      case 'facts':
        return part.facts.map(([name, value]) => `${name}: ${oneLine(value)}`).join('\n')
      case 'link':
        return `${part.text}:\n${part.url}`
      default:
        return part satisfies never
    }
  })
  return [heading, ...lines, '-- ', footer].join('\n\n').replace('\n\n-- \n\n', '\n\n-- \n').concat('\n')
}

const STYLE =
  'font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;max-width:36rem;margin:0 auto;padding:1rem'
const BUTTON =
  'display:inline-block;padding:.75rem 1.5rem;border-radius:.5rem;background:#0b5c46;color:#ffffff;font-weight:600;text-decoration:none'

/** No picture, nothing loaded, no script: it reads the same wherever it is opened, also aloud. */
function htmlText({ subject, heading, parts, footer }: Words): string {
  const body = parts.map((part) => {
    switch (part.type) {
      case 'text':
        return `<p>${escaped(part.text)}</p>`
      case 'facts':
        return `<ul>${part.facts.map(([name, value]) => `<li>${escaped(name)}: <strong>${escaped(value)}</strong></li>`).join('')}</ul>`
      case 'link':
        return `<p><a style="${BUTTON}" href="${escaped(part.url)}">${escaped(part.text)}</a></p>`
      default:
        return part satisfies never
    }
  })
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escaped(oneLine(subject))}</title></head>
<body><main style="${STYLE}">
<h1 style="font-size:1.25rem">${escaped(heading)}</h1>
${body.join('\n')}
<hr><p><small>${escaped(footer)}</small></p>
</main></body></html>
`
}

function escaped(text: string): string {
  return oneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

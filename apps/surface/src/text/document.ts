/** What the page says before its script runs. The build writes it into the document, so the script does not carry it. */
export const DOCUMENT_TEXT = {
  title: 'Secure payment',
  loading: 'Loading the payment page',
  noScript: 'This page needs JavaScript to keep your card details between you and the payment service.',
}

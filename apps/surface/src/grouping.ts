import { asciiDigits, type Format, regroup } from './digit-text.ts'

/** Keeps an input's digits grouped while typing, pasting and autofill, with the caret where the person left it. */
export function keepGrouped(input: HTMLInputElement, format: Format, whole?: (text: string) => string | null): void {
  let before = ''
  const group = (inputType: string) => {
    const text = asciiDigits(input.value)
    const complete = isTyping(inputType) ? null : (whole?.(text) ?? null)
    const caret = asciiDigits(input.value.slice(0, input.selectionStart ?? input.value.length)).length
    const next =
      complete === null
        ? regroup({ text, caret }, before, deletion(inputType), format)
        : { text: complete, caret: complete.length }
    before = next.text
    if (next.text === input.value) return
    input.value = next.text
    // An autofilled field is not focused; setting a selection would focus it in some browsers.
    if (document.activeElement === input) input.setSelectionRange(next.caret, next.caret)
  }
  input.addEventListener('input', (event) => {
    const { inputType = '', isComposing = false } = event instanceof InputEvent ? event : {}
    if (!isComposing) group(inputType)
  })
  // Some browsers tell of no input after it.
  input.addEventListener('compositionend', () => group('insertText'))
}

function isTyping(inputType: string): boolean {
  return inputType === 'insertText' || inputType.startsWith('delete')
}

function deletion(inputType: string): 'backward' | 'forward' | null {
  if (inputType === 'deleteContentBackward') return 'backward'
  return inputType === 'deleteContentForward' ? 'forward' : null
}

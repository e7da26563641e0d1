import { isCallBlocked } from '../../gate/call-blocked.ts'

/**
 * For `onError` of `toUIMessageStreamResponse`: the sentence for a call that did not run, and the
 * SDK's own text for everything else. Without it a page, and the model in later turns, would read
 * "An error occurred." instead.
 */
export function blockedText(error: unknown): string {
  return isCallBlocked(error) ? error.modelMessage : 'An error occurred.'
}

import type { ModelMessage } from 'ai'

/**
 * For `stopWhen`: a loop of so many steps since the user's last message, those before a pause
 * counted. The SDK's own `isStepCount` starts again with every resumed turn. Going on makes one step
 * in any case.
 */
export function isTurnStepCount(count: number, messages: readonly ModelMessage[]) {
  const since = messages.findLastIndex(({ role }) => role === 'user') + 1
  const before = messages.slice(since).filter(({ role }) => role === 'assistant').length
  return ({ steps }: { readonly steps: readonly unknown[] }): boolean =>
    before + steps.length >= count
}

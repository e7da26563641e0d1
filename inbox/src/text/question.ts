import type { ApprovalRow } from '../../../src/api/approval.ts'

const PLAIN = /^Run '(?<tool>[^']+)' with arguments (?<args>[\s\S]*)\?$/

/**
 * The question over a card. The one that Countersign asks when the policy has none of its own ends
 * in all arguments, and they stand right below, so there it is cut to its beginning.
 */
export function questionOf({ message, tool }: Pick<ApprovalRow, 'message' | 'tool'>): string {
  const plain = PLAIN.exec(message)
  if (plain?.groups?.tool === tool) return `Run '${tool}'?`
  return message === '' ? `Run '${tool}'?` : message
}

/** A list carries only the beginning of a long question. */
const LISTED = /^Run '(?<tool>[^']+)' with arguments (?<args>[\s\S]*)(?:\?|(?<=…))$/

/** One line of the list. */
export function summaryOf({ message, tool }: Pick<ApprovalRow, 'message' | 'tool'>): string {
  const plain = LISTED.exec(message)
  if (plain?.groups?.tool !== tool) return message
  return plain.groups.args === '{}' ? 'No arguments' : (plain.groups.args ?? message)
}

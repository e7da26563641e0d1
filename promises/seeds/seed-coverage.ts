/**
 * Statements of the documents we implement that are not promises of their own, with the promises
 * that keep them or the reason why none does. `promises.test.ts` checks that no number is missing.
 */

/** How many statements each document makes (`XX-n`), and how many of its weaknesses we list (`XX!n`). */
export const STATEMENTS = {
  SP: { stated: 62, weaknesses: 13 },
  AR: { stated: 34, weaknesses: 8 },
  CF: { stated: 46, weaknesses: 13 },
  AF: { stated: 55, weaknesses: 9 },
  AT: { stated: 35, weaknesses: 11 },
} as const

/** Stated by a document, and not promised. */
export const UNPROMISED: Readonly<Record<string, string>> = {
  'AT-17': 'A predicate is called by one thread: JavaScript has no other.',
  'AT-27': 'The table of adapters is that list; it is generated from the runs.',
}

/** A weakness of a system, and the promises that rule it out here; or why there is none. */
export const WEAKNESSES: Readonly<Record<string, readonly string[] | string>> = {
  'SP!1': ['SP-40', 'SP-53'],
  'SP!2': ['SP-17', 'CS-GATE-13'],
  'SP!3':
    'Kept by adapters that see every call. Servers that the OpenAI SDK calls by itself (`mcpServers` of an agent) are not asked about; its guide says so.',
  'SP!4': ['CS-GATE-21'],
  'SP!5': ['CS-SWITCH-1'],
  'SP!6': ['CS-SWITCH-1'],
  'SP!7': ['SP-57'],
  'SP!8': ['CS-INBOX-1', 'CS-INBOX-7', 'CS-INBOX-10'],
  'SP!9': ['SP-27', 'SP-51', 'CS-SEC-8'],
  'SP!10': ['CS-MCP-6', 'CS-MCP-7'],
  'SP!11': ['CS-GATE-2', 'CS-PROOF-1'],
  'SP!12': ['CS-MCP-20'],
  'SP!13': ['CS-INBOX-1', 'CS-AUDIT-1'],
  'AR!1': ['AR-4', 'CS-SDK-2'],
  'AR!2': ['CS-SDK-1'],
  'AR!3': ['CS-SDK-6'],
  'AR!4': ['CS-GATE-7', 'CS-GATE-2'],
  'AR!5': ['AF-53', 'CS-SDK-3'],
  'AR!6': ['CS-SDK-8'],
  'AR!7': ['AR-34'],
  'AR!8': ['CS-ADK-1', 'CS-ADK-2', 'CS-ADK-5'],
  'CF!1': ['CF-13'],
  'CF!2': ['CS-FLOW-3', 'CS-FLOW-2', 'CS-FLOW-6'],
  'CF!3': ['CF-45', 'CS-TOLD-3'],
  'CF!4': ['CF-43'],
  'CF!5': ['CS-SIGN-1', 'CF-11'],
  'CF!6':
    'A chat client can answer a call of a chat with a tool result of its own, as CF-27 says; the gate has then run nothing, and the guide says so.',
  'CF!7': ['CF-25'],
  'CF!8': ['CS-SDK-8'],
  'CF!9': ['CF-21'],
  'CF!10': ['CF-25', 'CS-SDK-8'],
  'CF!11': ['CS-SDK-2', 'CF-25'],
  'CF!12': ['CS-SDK-1'],
  'CF!13': ['SP-3'],
  'AF!2': ['AF-45'],
  'AF!5': ['AF-17'],
  'AF!7': ['AF-53'],
  'AF!8': ['CS-POLICY-5', 'CS-POLICY-8'],
  'AF!9': 'It describes a format; this is the runtime.',
  'AT!1': ['SP-3', 'SP-52'],
  'AT!2': ['SP-22'],
  'AT!3': ['AT-10', 'CS-MODE-1'],
  'AT!4': ['CS-GATE-16'],
  'AT!5': ['AT-18'],
  'AT!6': ['CS-GATE-22', 'CS-SIGN-1'],
  'AT!7': ['AT-33', 'CS-GATE-1'],
  'AT!8': ['AT-33', 'CS-GATE-1'],
  'AT!9': 'Drift of its own documentation; ours is compared with the code by tests.',
  'AT!10': ['CS-INBOX-7', 'CS-GATE-8'],
  'AT!11': 'Says that no reports were found.',
}

import { from } from './promised.ts'

/** What standing in front of MCP servers adds. */
export const COUNTERSIGN_MCP = from('Countersign', {
  'CS-MCP-1': {
    area: 'servers',
    says: 'One server behind `countersign mcp` keeps its name and the names of its tools.',
  },
  'CS-MCP-5': {
    area: 'servers',
    says: 'A question may be answered inside the client where it can show one, and the record says that it was.',
  },
  'CS-MCP-6': {
    area: 'servers',
    says: 'An answer from the client within 700 milliseconds is no answer, because nobody can have read the question.',
  },
  'CS-MCP-7': {
    area: 'servers',
    says: 'A question that other people must answer is never put to the client.',
  },
  'CS-MCP-8': {
    area: 'servers',
    says: 'A call that waits longer than a client does is answered as pending, and the same call later joins it and runs once.',
  },
  'CS-MCP-9': {
    area: 'servers',
    says: 'A client that cancels takes its question back; one that ran out of time finds it again.',
  },
})

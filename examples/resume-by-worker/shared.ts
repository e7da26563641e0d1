/** What the agent and the worker have in common: the rules, the database, and who the agent is. */
import { createGate, definePolicy } from 'countersign'
import { sqliteStore } from 'countersign/sqlite'

export function openGate(file: string) {
  const store = sqliteStore(file)
  const policy = definePolicy({ tools: { send_mail: { approval: true } } })
  return { store, gate: createGate({ policy, store, agent: 'mail-bot' }) }
}

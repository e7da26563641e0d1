/** The people of the examples. In production they decide in the inbox, or by your signed-in pages. */
import type { Gate, Person } from 'countersign'

type Said = Omit<Parameters<Gate['approvals']['decide']>[1], 'by' | 'seen'>

function person(name: string, groups: readonly string[]): Person {
  return {
    issuer: 'https://id.example.com',
    subject: name,
    email: `${name}@example.com`,
    emailVerified: true,
    groups: [...groups],
    roles: ['approver'],
    assurance: 'signed-in',
  }
}

const PEOPLE: Readonly<Record<string, Person>> = {
  ana: person('ana', ['finance']),
  bo: person('bo', ['finance']),
  cleo: person('cleo', ['chiefs']),
}

/** Waits until it is asked, and answers as this person. Throws what the gate refuses. */
export async function answer(gate: Gate, who: string, tool: string, said: Said): Promise<void> {
  const { id, digest } = await asked(gate, tool)
  await gate.approvals.decide(id, { by: named(who), seen: digest, ...said })
}

/** Asks the next in line now, without waiting for the clock. */
export async function escalate(gate: Gate, who: string, tool: string): Promise<void> {
  const { id } = await asked(gate, tool)
  await gate.approvals.escalate(id, named(who))
}

function named(who: string): Person {
  const found = PEOPLE[who]
  if (!found) throw new Error(`there is no ${who}`)
  return found
}

async function asked(gate: Gate, tool: string) {
  for (;;) {
    const { approvals } = await gate.approvals.list({ status: ['pending'] })
    const found = approvals.find(({ call }) => call.tool === tool)
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

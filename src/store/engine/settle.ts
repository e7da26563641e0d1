import type { Request } from '../../approval/command.ts'
import type { Grant } from '../../approval/grants/grant.ts'
import { CountersignError } from '../../base/errors.ts'
import type { AnyCommand, Applied } from '../store.ts'
import type { Entry, Plan, Settled } from './plan.ts'

/** Tells each caller what a committed plan did for them. */
export function settle({ outcomes }: Plan): void {
  for (const outcome of outcomes) {
    if ('applied' in outcome) outcome.entry.resolve(outcome.applied)
    else outcome.entry.reject(outcome.error)
  }
}

/** Puts a command on its way, and waits for what it does to its approval. */
export function appliedBy(
  send: (entry: Entry) => void,
  id: string,
  command: AnyCommand,
): Promise<Applied> {
  return sentBy(send, id, command, (settled) => ('approval' in settled ? settled : undefined))
}

/** The same for a request that looks first: undefined where there is something to look at. */
export async function askedBy(
  send: (entry: Entry) => void,
  request: Request,
): Promise<Applied | undefined> {
  const read = (settled: Settled) => ('grant' in settled ? undefined : settled)
  const first = (entry: Entry) => send({ ...entry, looksFirst: true })
  const settled = await sentBy(first, request.id, request, read)
  return 'prior' in settled ? undefined : settled
}

/** The same for a grant. */
export function grantBy(
  send: (entry: Entry) => void,
  id: string,
  command: AnyCommand,
): Promise<Grant> {
  return sentBy(send, id, command, (settled) => ('grant' in settled ? settled.grant : undefined))
}

function sentBy<T>(
  send: (entry: Entry) => void,
  id: string,
  command: AnyCommand,
  read: (settled: Settled) => T | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const settled = (what: Settled) => {
      const mine = read(what)
      if (mine === undefined)
        reject(new CountersignError('internal', 'unexpected response from the store'))
      else resolve(mine)
    }
    send({ id, command, resolve: settled, reject })
  })
}

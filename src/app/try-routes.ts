import { lockedBecause, lockOnPerson } from '../approval/locks/lock.ts'
import type { Person } from '../approval/people/person.ts'
import { CountersignError } from '../base/errors.ts'
import { createPatience } from '../gateway/downstream/client.ts'
import { holdRun, ownerOf } from '../gateway/downstream/held-run.ts'
import { createHttpEndpoint, type HttpCaller } from '../gateway/downstream/http/http-endpoint.ts'
import { createRuns } from '../gateway/downstream/modern-run.ts'
import type { SessionOptions } from '../gateway/downstream/session-options.ts'
import { createUses } from '../gateway/upstream/last-used.ts'
import { personOf, type Route, route } from '../server/http/route.ts'
import type { PersonCaller } from '../server/identity/caller.ts'
import type { Services } from '../server/services.ts'
import { type McpDoorOptions, pinsFor } from './mcp-routes.ts'
import { packageVersion } from './version.ts'

const HOLD_MS = 50_000

/**
 * One server behind the gate, for a person who tries its tools in the inbox: the same endpoint that
 * agents have, so that they see what a client sees. Calls act for them, so nothing that needs other
 * people's yes can get theirs.
 */
export function tryDoor({ specs, inbox, hold = HOLD_MS, processes, log }: McpDoorOptions) {
  const endpoint = createHttpEndpoint({ processes })
  let leave = () => {}

  function routes({ gate, store, policyNow, credentials }: Services): readonly Route[] {
    leave = store.onAmended(() => void endpoint.recheck().catch(() => {}))
    const pins = pinsFor(store, policyNow)
    const uses = createUses(store.records)
    const runOf = createRuns(store)

    /** A person who was locked or removed meanwhile can try nothing any more. */
    async function mayTry(person: Person): Promise<boolean> {
      const account = await credentials.accounts.get(person)
      const lock = lockOnPerson(await gate.admin.locks.list(), person, await store.now())
      return account !== undefined && !account.locked && !lock
    }

    async function callerOf({ person }: PersonCaller, server: string): Promise<HttpCaller> {
      const lock = lockOnPerson(await gate.admin.locks.list(), person, await store.now())
      if (lock) throw new CountersignError('locked', lockedBecause(lock))
      const { issuer, subject } = person
      // No token can have this name, so no agent is asked in its place.
      const agent = `try-it/${subject}`
      const found = specs(await policyNow(), log).filter(({ alias }) => alias === server)
      if (found.length === 0) {
        throw new CountersignError('not_found', `server ${server} cannot be reached from here`, {
          hint: 'Give it a command or a url in mcp_servers, and apply the policy.',
        })
      }
      const owner = JSON.stringify(['person', issuer, subject, server])
      const isValid = () => mayTry(person)
      return {
        owner,
        run: () => runOf(owner, agent),
        hold: async () =>
          holdRun(store, await ownerOf({ agent, issuer, subject }, '', found), agent),
        isValid,
        options: (run): SessionOptions => ({
          gate: gate.with({ door: 'mcp', agent, run, isValid, principal: { issuer, subject } }),
          store,
          agent,
          principal: subject,
          run,
          person: { ...person, assurance: 'elicitation' },
          specs: found,
          isSingle: false,
          pins,
          ...createPatience(store.records, hold),
          used: uses.used,
          inbox: () => Promise.resolve(inbox()),
          version: packageVersion(),
          log,
        }),
      }
    }

    const door = (method: 'POST' | 'DELETE'): Route =>
      route(`${method} /v1/servers/:server/try`, async ({ c, caller, params, raw }) =>
        raw(await endpoint.handle(c.req.raw, await callerOf(personOf(caller), params.server))),
      )

    return [door('POST'), door('DELETE')]
  }

  return {
    routes,
    async close() {
      leave()
      await endpoint.close()
    },
  }
}

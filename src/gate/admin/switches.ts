import type { Person } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import { NAME } from '../../policy/call.ts'
import {
  type SwitchEffect,
  type SwitchTarget,
  switchEffect,
  switchName,
  withSwitch,
} from '../../policy/load/switch.ts'
import type { Policy } from '../../policy/policy.ts'
import { SWITCH_RECORD } from '../../store/records/switch-record.ts'
import type { Store } from '../../store/store.ts'
import { assertMay } from './locks.ts'
import type { LockCopy } from './operator-state.ts'
import { listSwitches, type Switch, switchOf } from './switch-record.ts'

export interface SwitchOptions {
  /** The admin knows that fewer calls will ask for approval, and wants it. */
  readonly lowers?: boolean | undefined
}

/** What admins do with the switches of the inbox. Refusals are thrown as `CountersignError`. */
export interface Switches {
  list(): Promise<readonly Switch[]>
  /** What switching would change; undefined where no file declares the server. */
  effect(target: SwitchTarget, on: boolean | undefined): Promise<SwitchEffect | undefined>
  /** Ask about a tool, or do not. Throws `lowering_unconfirmed` unless `lowers` says so. */
  set(by: Person, target: SwitchTarget, on: boolean, options?: SwitchOptions): Promise<Switch>
  /** Back to what the files say. Throws `not_found` when there is nothing to take away. */
  clear(by: Person, target: SwitchTarget, options?: SwitchOptions): Promise<Switch>
}

/** The last of several who switch the same at the same moment wins, after looking again. */
const MOST_TRIES = 5

export function createSwitches({
  store,
  locks,
  policy,
}: {
  store: Store
  locks: LockCopy
  policy: () => Policy
}): Switches {
  async function effect(target: SwitchTarget, on: boolean | undefined) {
    await locks.current()
    return switchEffect(policy(), target, on)
  }

  /** Undefined: another change was faster. */
  async function write(
    by: Person,
    target: SwitchTarget,
    on: boolean | undefined,
    options: SwitchOptions,
  ): Promise<Switch | undefined> {
    const id = switchName(target)
    const found = await store.records.get(SWITCH_RECORD, id)
    if (!found && on === undefined) throw nothingThere(target)
    await locks.current()
    // What is written over counts, and that may be newer than the copy every call is judged by.
    const seen = withSwitch(policy(), target, found && switchOf(found).on)
    const changes = switchEffect(seen, target, on)
    assertEffect(target, changes, on, options)
    const person = { issuer: by.issuer, subject: by.subject }
    const isDone = await store.amend({
      commandId: crypto.randomUUID(),
      event: {
        type: on === undefined ? 'switch.cleared' : 'switch.set',
        by: { person },
        assurance: by.assurance,
        facts: {
          server: target.server,
          ...(target.tool === undefined ? {} : { tool: target.tool }),
          ...(on === undefined ? {} : { on }),
          ...(changes ? { before: changes.before, after: changes.after } : {}),
        },
      },
      changes: [
        {
          kind: SWITCH_RECORD,
          id,
          ...(on === undefined ? {} : { value: { on, by: person } }),
          expect: found?.revision ?? 'absent',
        },
      ],
    })
    if (!isDone) return undefined
    const stored = { id, revision: 1, at: found?.at ?? 0 }
    if (on === undefined) return switchOf({ ...stored, value: found?.value ?? null })
    return switchOf({ ...stored, value: { on, by: person }, at: await store.now() })
  }

  async function change(
    by: Person,
    target: SwitchTarget,
    on: boolean | undefined,
    options: SwitchOptions,
  ): Promise<Switch> {
    await assertMay(locks, by, ['admin'], 'switching approval')
    if (target.tool !== undefined && !NAME.test(target.tool)) {
      throw new CountersignError('invalid_value', 'that is not the name of a tool')
    }
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const done = await write(by, target, on, options)
      if (done) return done
    }
    throw new CountersignError('store_busy', 'others keep changing this switch')
  }

  return {
    list: () => listSwitches(store.records),
    effect,
    set: (by, target, on, options = {}) => change(by, target, on, options),
    clear: (by, target, options = {}) => change(by, target, undefined, options),
  }
}

function assertEffect(
  target: SwitchTarget,
  effect: SwitchEffect | undefined,
  on: boolean | undefined,
  { lowers }: SwitchOptions,
): void {
  // Taking away what acts on nothing any more is always fine.
  if (on === undefined && (!effect || effect.fixedBy)) return
  if (!effect) {
    throw new CountersignError('not_found', `no file declares a server ${target.server}`, {
      hint: 'Add it to mcp_servers of the policy; until then its calls are always asked about.',
    })
  }
  if (effect.fixedBy) {
    const { rule, place } = effect.fixedBy
    const isInFile = place.line > 0
    const at = isInFile ? `${place.file}:${place.line}` : place.file
    throw new CountersignError(
      'switch_fixed',
      `${rule} decides this, at ${at}; a switch would change nothing`,
      {
        hint: isInFile
          ? 'Change the file, then apply it.'
          : 'Its author wants people asked. Change the tool in the studio and publish it.',
        details: { rule, at },
      },
    )
  }
  if (effect.lowers && lowers !== true) {
    const what = target.tool ?? `tools of ${target.server} without a rule of their own`
    throw new CountersignError(
      'lowering_unconfirmed',
      effect.after === 'allow'
        ? `calls to ${what} would run without asking`
        : `calls to ${what} would need less than now: ${effect.after}`,
      { hint: 'Send "lowers": true if that is meant; the inbox and the terminal ask you.' },
    )
  }
}

function nothingThere({ server, tool }: SwitchTarget): CountersignError {
  const what = tool === undefined ? `server ${server}` : `tool ${tool} of server ${server}`
  return new CountersignError('not_found', `there is no switch on ${what}`, {
    hint: '`countersign policy switch` shows those that are set.',
  })
}

import { NotDelivered } from '../../gate/notify/channel.ts'
import { textAt } from '../chat/text-at.ts'
import { type SlackCall, SlackError } from './slack-api.ts'

/** The workspace that the token belongs to, and whom of it we deal with. */
export interface SlackWorkspace {
  /** Its id, and that of our own bot. */
  own(signal?: AbortSignal): Promise<{ readonly team: string; readonly bot: string }>
  /** A member of this workspace, as Slack knows them now; undefined: none that may answer. */
  member(user: string, signal?: AbortSignal): Promise<Member | undefined>
  /** Good enough to tell a person, never to let one decide. */
  byEmail(email: string, signal?: AbortSignal): Promise<string | undefined>
}

export interface Member {
  readonly id: string
  readonly name: string
}

const KNOWN_MS = 600_000
const MOST_KNOWN = 5_000

export function createWorkspace(call: SlackCall): SlackWorkspace {
  let known: Promise<{ team: string; bot: string }> | undefined
  const addresses = new Map<string, { readonly user: string | undefined; readonly at: number }>()

  function own(signal?: AbortSignal) {
    known ??= call('auth.test', {}, signal).then(({ body }) => {
      const [team, bot] = [textAt(body, 'team_id'), textAt(body, 'user_id')]
      if (team === '' || bot === '') throw new NotDelivered('Slack does not say whose token it is')
      return { team, bot }
    })
    known.catch(() => {
      known = undefined
    })
    return known
  }

  return {
    own,
    async member(user, signal) {
      const { team } = await own(signal)
      try {
        const { body } = await call('users.info', { user }, signal)
        return memberOf(body.user, team)
      } catch (error) {
        if (error instanceof SlackError && UNKNOWN.includes(error.code)) return undefined
        throw error
      }
    },
    async byEmail(email, signal) {
      const found = addresses.get(email)
      if (found && performance.now() - found.at < KNOWN_MS) return found.user
      const { team } = await own(signal)
      const user = await call('users.lookupByEmail', { email }, signal).then(
        ({ body }) => memberOf(body.user, team)?.id,
        (error: unknown) => {
          if (error instanceof SlackError && UNKNOWN.includes(error.code)) return undefined
          throw error
        },
      )
      if (addresses.size >= MOST_KNOWN) addresses.clear()
      addresses.set(email, { user, at: performance.now() })
      return user
    },
  }
}

const UNKNOWN: readonly string[] = ['users_not_found', 'user_not_found', 'user_not_visible']

/** What a user must not be: left, a program, a guest, or a stranger of a shared channel. */
const REFUSED = ['deleted', 'is_bot', 'is_restricted', 'is_ultra_restricted', 'is_stranger']

function memberOf(user: unknown, team: string): Member | undefined {
  const id = textAt(user, 'id')
  if (id === '' || textAt(user, 'team_id') !== team || id === 'USLACKBOT') return undefined
  const facts = user as Readonly<Record<string, unknown>>
  // What Slack leaves out is false; whatever else it says is not.
  if (REFUSED.some((name) => facts[name] !== undefined && facts[name] !== false)) return undefined
  return { id, name: textAt(user, 'real_name') || textAt(user, 'name') || id }
}

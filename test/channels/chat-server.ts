import { OPERATOR } from '../../src/approval/transition.ts'
import type { Channel } from '../../src/gate/notify/channel.ts'
import { combinePolicy } from '../../src/policy/load/combine.ts'
import { loadOwner, policyError } from '../../src/policy/load/load.ts'
import { createLinks } from '../../src/server/channels/links.ts'
import { createMembership } from '../../src/server/identity/membership.ts'
import type { OidcOptions } from '../../src/server/identity/oidc.ts'
import { createLog } from '../../src/server/log.ts'
import { createServer, type Server } from '../../src/server/server.ts'
import type { Store } from '../../src/store/store.ts'
import { TEAM } from './fake-slack.ts'

const POLICY = 'version: 1\ntools: { pay: { approval: { approvers: [fay@example.com] } } }\n'
const FAY = { issuer: 'local', subject: 'fay@example.com' }

export interface ChatServerOptions {
  readonly policy?: string
  readonly oidc?: OidcOptions
}

/** A server without a socket of its own, which any process can start on the same database. */
export function chatServer(
  store: Store,
  channel: Channel,
  { policy = POLICY, oidc }: ChatServerOptions = {},
): Server {
  const owner = loadOwner({ file: 'countersign.yaml', text: policy })
  if (!owner.ok) throw policyError(owner.mistakes)
  return createServer({
    store,
    log: createLog({ format: 'json', level: 'error', out: () => {} }),
    running: {
      version: '1',
      loadedAt: new Date(0),
      policy: combinePolicy({ owner: owner.document }),
      documents: [owner.document],
      warnings: [],
      files: () => [],
    },
    channels: [channel],
    oidc,
  })
}

export interface ChatLink {
  readonly channel: string
  readonly workspace: string
  readonly id: string
}

export const SLACK: ChatLink = { channel: 'slack', workspace: TEAM, id: 'U0FAY' }

/** Fay, whose account of a chat answers for her. */
export async function linkFay(store: Store, to: ChatLink): Promise<void> {
  const account = {
    ...FAY,
    email: 'fay@example.com',
    emailVerified: true,
    roles: ['approver'] as const,
  }
  await createMembership(store).set(OPERATOR, account)
  const links = createLinks(store)
  const { code } = await links.makeCode(FAY, to.channel)
  await links.claim(to.channel, { workspace: to.workspace, id: to.id, name: 'Fay' }, code)
  const [claim] = await links.waiting(FAY)
  await links.confirm(FAY, claim?.claim ?? '')
}

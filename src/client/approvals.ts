import type { AgentApproval } from '../api/agent.ts'
import type { Person } from '../approval/people/person.ts'
import { CountersignError, isCountersignError } from '../base/errors.ts'
import type { Json } from '../base/json/json.ts'
import type { RunReport } from '../gate/admin/run-reports.ts'
import type { Connection } from './connection.ts'

/** An answer that a user gave in the application. */
export interface RemoteAnswer {
  /** Signed in by the application. The server goes by their address. */
  readonly by: Pick<Person, 'subject' | 'email' | 'emailVerified'>
  readonly verdict: 'approve' | 'deny'
  /** The digest they were shown. */
  readonly seen: string
  readonly reason?: string
  readonly payload?: Json
}

/** Approvals on a server, as far as an application answers them for its users. */
export interface RemoteApprovals {
  get(id: string): Promise<
    | {
        readonly approval: Pick<AgentApproval, 'id' | 'status' | 'level'> & {
          /** Of the call as it would run. */
          readonly digest: string
        }
      }
    | undefined
  >
  /** Throws what the server refused. */
  decide(id: string, answer: RemoteAnswer): Promise<AgentApproval>
  /** Takes back a question of this token's agent. */
  withdraw(id: string): Promise<AgentApproval>
  /** Says how far the workflow is that asked, or how it ended. */
  report(id: string, report: RunReport): Promise<void>
}

export function remoteApprovals({ call }: Connection): RemoteApprovals {
  return {
    async get(id) {
      try {
        const found = await call('GET /v1/approvals/:id', { params: { id } })
        const { status, level, current } = found
        return { approval: { id, status, level, digest: current } }
      } catch (error) {
        if (isCountersignError(error, 'approval_not_found')) return undefined
        throw error
      }
    },
    async decide(id, { by, verdict, seen, reason, payload }) {
      if (by.emailVerified !== true || !by.email) {
        throw new CountersignError('not_permitted', 'the address of this user is not verified', {
          hint: 'Give email, and emailVerified: true once the application has verified it.',
        })
      }
      return call('POST /v1/approvals/:id/answers', {
        params: { id },
        body: {
          by: by.email,
          approved: verdict === 'approve',
          seen,
          ...(reason === undefined ? {} : { reason }),
          ...(payload === undefined ? {} : { payload }),
        },
      })
    },
    withdraw: (id) => call('POST /v1/approvals/:id/withdraw', { params: { id } }),
    async report(id, report) {
      await call('POST /v1/approvals/:id/reports', { params: { id }, body: report })
    },
  }
}

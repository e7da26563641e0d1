import { useQuery } from '@tanstack/react-query'
import { pastQuery, usePending } from '../../api/approvals.ts'
import { channelLinksQuery } from '../../api/channel-links.ts'
import { devicesQuery } from '../../api/devices.ts'
import { passkeysQuery } from '../../api/passkeys.ts'
import { peopleQuery } from '../../api/people.ts'
import { statusQuery } from '../../api/policy.ts'
import { t } from '../../lib/language/t.ts'
import { hasPolicy } from './has-policy.ts'

export interface Step {
  readonly name: string
  readonly says: string
  readonly href: string
  /** Undefined while it is not known. */
  readonly done: boolean | undefined
}

/** What makes a server ready for others, each read from the server: no box to tick by hand. */
export function useSteps(): readonly Step[] {
  const { data: policy } = useQuery(statusQuery)
  const { data: past } = useQuery(pastQuery(1))
  const { data: pending } = usePending('risk', '')
  const { data: people } = useQuery(peopleQuery)
  const { data: devices } = useQuery(devicesQuery)
  // Looking again every few seconds is for the page where a code is awaited.
  const { data: accounts } = useQuery({ ...channelLinksQuery, refetchInterval: false })
  const { data: passkeys } = useQuery(passkeysQuery)
  const approvers = people?.people.filter(({ roles }) => roles.includes('approver'))
  return [
    {
      name: t('Write a policy'),
      says: t('Which calls run, which ask, and who answers.'),
      href: '/policy',
      done: policy && hasPolicy(policy),
    },
    {
      name: t('Connect an agent'),
      says: t('A line for your SDK, MCP client or coding agent. Done when its first call arrives.'),
      href: '/connect',
      done: past && pending && past.length + pending.rows.length > 0,
    },
    {
      name: t('Add a second approver'),
      says: t('So that no call waits for one person alone.'),
      href: '/people',
      done: approvers && approvers.length > 1,
    },
    {
      name: t('Be told when a call waits'),
      says: t('On your phone, in this browser or in chat.'),
      href: '/notifications',
      done: devices && accounts && devices.devices.length + accounts.links.length > 0,
    },
    {
      name: t('Add a passkey'),
      says: t('Signs your decisions about the riskiest calls.'),
      href: '/passkeys',
      done: passkeys && passkeys.passkeys.length > 0,
    },
  ]
}

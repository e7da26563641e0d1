import { isCountersignError } from '../../base/errors.ts'
import { groupsOf } from '../../gate/people.ts'
import type { Policy } from '../../policy/policy.ts'
import type { Account } from '../../server/identity/people.ts'
import { count } from '../print/show-mistakes.ts'
import type { LoadedPolicy } from '../state/policy-files.ts'
import { type Finding, note, ok, problem, warning } from './finding.ts'

/** Whether the files on disk load, and whether a governance file is given that can tighten them. */
export function policyFindings(load: () => LoadedPolicy): {
  readonly findings: Finding[]
  readonly policy: Policy | undefined
} {
  try {
    const { files, warnings, policy } = load()
    return { policy, findings: [...loaded(files, warnings.length), governance(files)] }
  } catch (error) {
    if (!isCountersignError(error)) throw error
    const fix = 'Correct it; `countersign policy check` shows where.'
    return { policy: undefined, findings: [problem('policy', error.message, fix)] }
  }
}

function loaded(files: LoadedPolicy['files'], warnings: number): Finding[] {
  const names = files.map(({ file }) => file).join(', ')
  const first =
    files.length === 0
      ? note('policy', 'there is no policy file: built-in defaults', 'Run `countersign init`.')
      : ok('policy', `${names} can be loaded`)
  if (warnings === 0) return [first]
  const says = `it has ${count(warnings, 'warning')}`
  return [first, warning('policy', says, 'Run `countersign policy check`.')]
}

function governance(files: LoadedPolicy['files']): Finding {
  return files.some(({ role }) => role === 'governance')
    ? ok('governance', 'rules from outside are given')
    : note(
        'governance',
        'no governance file is given to this command; a server that runs may have one',
        'Look with the same --governance or COUNTERSIGN_GOVERNANCE as the server. Without one, the owner of the policy may loosen everything.',
      )
}

/** Whether any person could answer at all, and whether any of each group in the policy could. */
export function peopleFindings(policy: Policy, accounts: readonly Account[]): Finding[] {
  const active = accounts.filter(({ locked }) => !locked)
  if (active.length === 0) {
    return [
      warning('people', 'no account can sign in yet', 'Follow the link of `countersign start`.'),
    ]
  }
  const has = (role: 'approver' | 'admin') => active.some(({ roles }) => roles.includes(role))
  const empty = [...policy.groups.keys()].filter(
    (name) => !active.some((account) => groupsOf(policy, account).includes(name)),
  )
  return [
    has('approver')
      ? ok('people', `${count(active.length, 'person', 'people')} can sign in`)
      : problem(
          'people',
          'no account has the approver role, so calls that name no approver cannot be answered',
          'Run `countersign open --as ADDRESS --role viewer approver`.',
        ),
    ...(has('admin')
      ? []
      : [
          warning(
            'people',
            'no account has the admin role',
            'Follow the link of `countersign open`.',
          ),
        ]),
    ...empty.map((name) =>
      warning(
        'people',
        `no member of group ${name} has signed in yet`,
        'Calls that ask this group wait for people who have no account here.',
      ),
    ),
  ]
}

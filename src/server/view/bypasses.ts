import type { WireServer, WireServerTool, WireWay } from '../../api/servers.ts'
import { given } from '../../base/json/json.ts'
import type { Policy } from '../../policy/policy.ts'
import { answerTo } from './server.ts'

export interface Ways {
  readonly policy: Policy
  /** The owner's rules are recorded and not enforced. */
  readonly observing: boolean
  readonly servers: readonly WireServer[]
  readonly own: readonly WireServerTool[]
  /** Those that cover calls now. */
  readonly grants: readonly Granted[]
}

/** What a grant still lets through. */
export interface Granted {
  readonly agent: string
  readonly server?: string
  readonly tool: string
  readonly left: number
  readonly endsAt: number
}

/** Whatever lets calls run without asking a person, the gravest first. */
export function waysAround(ways: Ways): WireWay[] {
  const { policy, servers, own } = ways
  return [
    ...(ways.observing ? [OBSERVING] : []),
    ...undeclared(policy),
    ...servers.flatMap(openServer),
    ...servers.flatMap(({ alias, tools }) => tools.flatMap((tool) => switchedOff(alias, tool))),
    ...[
      ...own.flatMap((tool) => riskyRule(undefined, tool)),
      ...servers.flatMap(({ alias, tools }) => tools.flatMap((tool) => riskyRule(alias, tool))),
    ].sort((a, b) => (a.says < b.says ? 1 : -1)),
    ...ways.grants.map(granted),
  ]
}

const OBSERVING: WireWay = {
  kind: 'observe',
  says: 'The policy is observed, not enforced: what it would ask about runs, and is written down.',
  fix: 'Start without --observe.',
}

/** What no file names: the answer is the same for every such name. */
function undeclared(policy: Policy): WireWay[] {
  let name = 'undeclared'
  while (policy.owner.tools.has(name) || policy.code.has(name)) name += '_'
  if (answerTo(policy, undefined, name).verdict !== 'allow') return []
  return [
    {
      kind: 'default',
      says: 'Tools that agents run themselves and no file names run without asking.',
      fix: 'Set defaults.undeclared to confirm, or name them in the policy file.',
    },
  ]
}

function openServer({ alias, answer, switch: state }: WireServer): WireWay[] {
  if (answer.verdict !== 'allow') return []
  const says = 'Its tools without a rule of their own run without asking.'
  if (state?.set?.on === false) {
    return [{ kind: 'switch', server: alias, says: `${says} ${offBy(state.set.by)}`, fix: UNDO }]
  }
  // Each tool of the studio has its author's flag; those with a risk are listed by name.
  if (answer.source === 'server' && answer.at === undefined) return []
  const fix = 'Set approval on the server, or name the tools that may run freely.'
  return [{ kind: 'server', server: alias, says, fix, ...given({ at: answer.at }) }]
}

function switchedOff(server: string, { tool, answer, switch: state, risk }: WireServerTool) {
  if (answer.verdict !== 'allow' || state?.set?.on !== false) return []
  const says = `runs without asking${riskWords(risk)}. ${offBy(state.set.by)}`
  return [{ kind: 'switch', server, tool, says, fix: UNDO } as const]
}

const UNDO = 'Undo it in the table below.'

function offBy({ name, email, subject }: { name?: string; email?: string; subject: string }) {
  return `${name ?? email ?? subject} switched asking off.`
}

/** From here on a level says that it changes or sends something; what only reads is no news. */
const RISKY = ['L3', 'L4', 'L5']

function riskyRule(server: string | undefined, tool: WireServerTool): WireWay[] {
  const { answer, risk, change, switch: state } = tool
  if (answer.verdict !== 'allow' || change || state?.set?.on === false) return []
  if (risk === undefined || !RISKY.includes(risk)) return []
  return [
    {
      kind: 'rule',
      ...given({ server }),
      tool: tool.tool,
      says: `runs without asking${riskWords(risk)}.`,
      fix: state && !state.fixed ? 'Switch asking on below.' : 'Give it an approval in the policy.',
      ...given({ at: answer.at }),
    },
  ]
}

function riskWords(risk: string | undefined): string {
  return risk === undefined ? '' : ` at risk ${risk}`
}

function granted({ agent, server, tool, left, endsAt }: Granted): WireWay {
  return {
    kind: 'grant',
    ...given({ server }),
    tool,
    says: `runs without asking for ${agent}, by a grant: ${left === 1 ? 'once more' : `${left} more times`}.`,
    fix: 'Revoke it under Grants.',
    until: endsAt,
  }
}

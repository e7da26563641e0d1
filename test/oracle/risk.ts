import type { AllowedEntry, Call, EvaluationInput, Risk, RiskOperators } from './documents.ts'

export function riskNumber(risk: Risk): number {
  return Number(risk.charAt(1))
}

export function highestRisk(risks: (Risk | undefined)[]): Risk | undefined {
  let highest: Risk | undefined
  for (const risk of risks) {
    if (risk === undefined) continue
    if (highest === undefined || riskNumber(risk) > riskNumber(highest)) highest = risk
  }
  return highest
}

export function entryNamed(entries: AllowedEntry[] | undefined, name: string) {
  return entries?.find((entry) =>
    typeof entry === 'string' ? entry === name : (entry.name ?? entry.id) === name,
  )
}

/** The highest risk anyone declared for this call, the call itself included. */
export function knownRisk(input: EvaluationInput, call: Call): Risk | undefined {
  return highestRisk([call.risk, policyRisk(input, call)])
}

function policyRisk({ owner, code }: EvaluationInput, call: Call): Risk | undefined {
  if (call.kind === 'agent') return undefined
  if (call.kind === 'skill') {
    const remote = owner.remote_agents?.find(({ alias }) => alias === call.server)
    const entry = entryNamed(remote?.allowed_skills, call.tool)
    return typeof entry === 'object' ? entry.risk : undefined
  }
  if (call.server !== undefined) {
    const server = owner.mcp_servers?.find(({ alias }) => alias === call.server)
    const entry = entryNamed(server?.allowed_tools, call.tool)
    const own = typeof entry === 'object' ? entry.risk : undefined
    return own ?? server?.risk
  }
  return highestRisk([toolNamed(owner.tools, call.tool)?.risk, toolNamed(code, call.tool)?.risk])
}

/** Own keys only: a tool may be called `constructor`. */
export function toolNamed<T>(tools: { [name: string]: T } | undefined, name: string) {
  return tools !== undefined && Object.hasOwn(tools, name) ? tools[name] : undefined
}

export function riskMatches(wanted: Risk | RiskOperators, risk: Risk | undefined): boolean {
  if (risk === undefined) return true
  if (typeof wanted === 'string') return risk === wanted
  const level = riskNumber(risk)
  if (wanted.gt !== undefined && !(level > riskNumber(wanted.gt))) return false
  if (wanted.gte !== undefined && !(level >= riskNumber(wanted.gte))) return false
  if (wanted.lt !== undefined && !(level < riskNumber(wanted.lt))) return false
  if (wanted.lte !== undefined && !(level <= riskNumber(wanted.lte))) return false
  if (wanted.ne !== undefined && risk === wanted.ne) return false
  if (wanted.in !== undefined && !wanted.in.includes(risk)) return false
  if (wanted.not_in?.includes(risk)) return false
  return true
}

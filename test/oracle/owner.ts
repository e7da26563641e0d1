import type {
  AllowedEntry,
  Approval,
  Call,
  EvaluationInput,
  HumanInTheLoop,
  Level,
} from './documents.ts'
import { type Finding, fromApproval, fromHumanInTheLoop, fromWord } from './finding.ts'
import { entryNamed, riskNumber, toolNamed } from './risk.ts'

/** The owner's answer. Two findings only when code and file both declare the same tool. */
export function ownerFindings(input: EvaluationInput, call: Call): Finding[] {
  if (call.kind === 'agent') return [delegation(input, call)]
  if (call.kind === 'skill') return [skillCall(input, call)]
  if (call.server !== undefined) return [serverCall(input, call)]
  return inProcess(input, call)
}

function inProcess(input: EvaluationInput, call: Call): Finding[] {
  const { defaults } = input.owner
  const inFile = toolNamed(input.owner.tools, call.tool)
  const inCode = toolNamed(input.code, call.tool)
  const name = call.tool

  const findings = [
    ...declaration(inCode, `code.${name}`, input, call),
    ...declaration(inFile, `tools.${name}`, input, call),
  ]
  if (findings.length > 0) return findings

  const fileRisk = inFile?.risk
  const codeRisk = inCode?.risk
  if (codeRisk !== undefined || fileRisk !== undefined) {
    const codeIsHigher =
      fileRisk === undefined ||
      (codeRisk !== undefined && riskNumber(codeRisk) > riskNumber(fileRisk))
    const risk = codeIsHigher ? codeRisk : fileRisk
    const rule = codeIsHigher ? `code.${name}.risk` : `tools.${name}.risk`
    return [fromApproval(risk !== 'L0', { source: 'risk', rule }, call, defaults)]
  }
  return [undeclared(input, `Tool '${name}'`)]
}

function delegation(input: EvaluationInput, call: Call): Finding {
  const { defaults, local_agents, remote_agents } = input.owner
  const alias = call.tool
  const local = local_agents?.find((agent) => agent.alias === alias)
  const remote = remote_agents?.find((agent) => agent.alias === alias)
  const list = local !== undefined ? 'local_agents' : 'remote_agents'
  const approval = (local ?? remote)?.approval
  if (approval !== undefined) {
    return fromApproval(
      approval,
      { source: 'tool', rule: `${list}.${alias}.approval` },
      call,
      defaults,
    )
  }
  return undeclared(input, `Agent '${alias}'`)
}

function undeclared(input: EvaluationInput, what: string): Finding {
  return fromWord(
    input.owner.defaults?.undeclared ?? 'allow',
    { source: 'default', rule: 'defaults.undeclared' },
    `${what} is not declared, and defaults.undeclared is deny.`,
  )
}

function serverCall(input: EvaluationInput, call: Call): Finding {
  const server = input.owner.mcp_servers?.find(({ alias }) => alias === call.server)
  if (server === undefined) return undeclaredServer(input, call)
  return throughServer(input, call, {
    rule: `mcp_servers.${server.alias}`,
    alias: server.alias,
    approval: server.approval,
    allowed: server.allowed_tools,
    allowedKey: 'allowed_tools',
    notAllowed: `Tool '${call.tool}' is not in allowed_tools of server '${server.alias}'.`,
  })
}

function skillCall(input: EvaluationInput, call: Call): Finding {
  const remote = input.owner.remote_agents?.find(({ alias }) => alias === call.server)
  if (remote === undefined) return undeclaredServer(input, call)
  return throughServer(input, call, {
    rule: `remote_agents.${remote.alias}`,
    alias: remote.alias,
    approval: remote.approval,
    allowed: remote.allowed_skills,
    allowedKey: 'allowed_skills',
    notAllowed: `Skill '${call.tool}' is not in allowed_skills of remote agent '${remote.alias}'.`,
  })
}

function undeclaredServer(input: EvaluationInput, call: Call): Finding {
  const gateway: Level = input.owner.defaults?.gateway ?? 'confirm'
  return fromWord(
    gateway === 'allow' ? 'confirm' : gateway,
    { source: 'default', rule: 'defaults.gateway' },
    `Server '${call.server}' is not declared, and defaults.gateway is deny.`,
  )
}

type DeclaredServer = {
  rule: string
  alias: string
  approval: Approval | undefined
  allowed: AllowedEntry[] | undefined
  allowedKey: string
  notAllowed: string
}

/** The first source that is present, whatever it says. */
function throughServer(input: EvaluationInput, call: Call, server: DeclaredServer): Finding {
  const { defaults } = input.owner
  const entry = entryNamed(server.allowed, call.tool)
  const allowedRule = `${server.rule}.${server.allowedKey}`

  if (server.allowed !== undefined && entry === undefined) {
    return fromWord('deny', { source: 'server', rule: allowedRule }, server.notAllowed)
  }
  if (typeof entry === 'object') {
    const [declared] = declaration(entry, `${allowedRule}.${call.tool}`, input, call)
    if (declared !== undefined) return declared
  }
  const toolSwitch = switchAt(input, `${server.alias}/${call.tool}`, call)
  if (toolSwitch !== undefined) return toolSwitch
  if (server.approval !== undefined) {
    const place = { source: 'server' as const, rule: `${server.rule}.approval` }
    return fromApproval(server.approval, place, call, defaults)
  }
  const serverSwitch = switchAt(input, server.alias, call)
  if (serverSwitch !== undefined) return serverSwitch
  return fromWord(
    defaults?.gateway ?? 'confirm',
    { source: 'default', rule: 'defaults.gateway' },
    `Server '${server.alias}' says nothing about approval, and defaults.gateway is deny.`,
  )
}

function switchAt(input: EvaluationInput, place: string, call: Call): Finding | undefined {
  const { switches } = input
  if (switches === undefined || !Object.hasOwn(switches, place)) return undefined
  return fromApproval(
    switches[place] === true,
    { source: 'operator', rule: `operator.${place}` },
    call,
    input.owner.defaults,
  )
}

/** The declaration on a tool or entry, in whichever of its two spellings; none is an empty list. */
function declaration(
  declared: { approval?: Approval; humanInTheLoop?: HumanInTheLoop } | undefined,
  rule: string,
  input: EvaluationInput,
  call: Call,
): Finding[] {
  const { defaults } = input.owner
  if (declared?.approval !== undefined) {
    const place = { source: 'tool' as const, rule: `${rule}.approval` }
    return [fromApproval(declared.approval, place, call, defaults)]
  }
  if (declared?.humanInTheLoop !== undefined) {
    const place = { source: 'tool' as const, rule: `${rule}.humanInTheLoop` }
    return [fromHumanInTheLoop(declared.humanInTheLoop, place, call, defaults)]
  }
  return []
}

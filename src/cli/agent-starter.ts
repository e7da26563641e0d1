import type { HookAgent } from '../adapters/coding-agents/agent.ts'
import { codingAgent } from '../adapters/coding-agents/agents.ts'
import { SCHEMA_FILE } from './starter.ts'

/** The argument in which the editors of an agent name a file. */
const PATHS: Readonly<Record<Exclude<HookAgent, 'claude-code'>, string>> = {
  codex: 'command',
  'gemini-cli': 'file_path',
  cursor: 'file_path',
  'copilot-cli': 'path',
  opencode: 'filePath',
}

/** A first policy for a coding agent: looking is free, changing things asks. Our tests run its tests. */
export function agentStarter(agent: Exclude<HookAgent, 'claude-code'>): string {
  const { title, tools } = codingAgent(agent)
  const [shell = ''] = tools.shells
  const [reader = ''] = tools.readers
  const editors = [...tools.editors, ...tools.patchers]
  const [editor = ''] = editors
  return `# yaml-language-server: $schema=${SCHEMA_FILE}
#
# What ${title} may do by itself, and what a person decides first.
# Tools are named as ${title} names them.
#
#   countersign policy explain --tool ${shell} --args '{"command":"git push"}'
version: 1

defaults:
  undeclared: confirm   # tools not named below ask
  gateway: confirm      # and so do those of MCP servers
  decide_by: 8h
  use_by: 5m

tools:
${[...tools.readers].map((name) => `  ${name}: { approval: false }`).join('\n')}

${[...tools.shells].map(shellRule).join('\n')}
${editors.map((name) => editorRule(name, PATHS[agent])).join('\n')}

tests:
  - name: looking is free
    call: { tool: ${reader}, args: {} }
    expect: allow
  - name: a plain look at the repository runs
    call: { tool: ${shell}, args: { command: git status } }
    expect: allow
  - name: anything else in a shell asks
    call: { tool: ${shell}, args: { command: git push } }
    expect: confirm
    message: Run git push
  - name: a harmless beginning does not help
    call: { tool: ${shell}, args: { command: "git status; rm -rf ." } }
    expect: confirm
  - name: changing a file asks
    call: { tool: ${editor}, args: { ${PATHS[agent]}: notes.txt } }
    expect: confirm
  - name: new tools ask until a rule names them
    call: { tool: SomethingNew, args: {} }
    expect: confirm
`
}

function shellRule(name: string): string {
  return `  ${name}:
    risk: L3
    approval:
      message_template: "Run {{tool_args.command}}"
      # Only exactly these lines run unasked; a longer one is another command.
      condition:
        args_match: { command: { not_in: [ls, pwd, git status, git diff, git log] } }
      reason: optional
      edit: [command]
`
}

function editorRule(name: string, path: string): string {
  return `  ${name}:
    risk: L2
    approval: { message_template: "Change {{tool_args.${path}}}" }`
}

import { SCHEMA_FILE } from './starter.ts'

/** A first policy for a coding agent: looking is free, changing things asks. Its tests are run by ours. */
export const CLAUDE_CODE_STARTER = `# yaml-language-server: $schema=${SCHEMA_FILE}
#
# What Claude Code may do by itself, and what a person decides first.
# Tools are named as Claude Code names them; mcp__github__create_issue is the
# tool create_issue of the server github.
#
#   countersign policy explain --tool Bash --args '{"command":"git push"}'
version: 1

defaults:
  undeclared: confirm   # tools not named below ask
  gateway: confirm      # and so do those of MCP servers
  decide_by: 8h
  use_by: 5m

tools:
  Read: { approval: false }
  Glob: { approval: false }
  Grep: { approval: false }
  LS: { approval: false }
  NotebookRead: { approval: false }
  TodoWrite: { approval: false }
  Agent: { approval: false }       # what a sub-agent does is asked about call by call
  Task: { approval: false }        # the same in earlier versions

  Bash:
    risk: L3
    approval:
      message_template: "Run {{tool_args.command}}"
      # Only exactly these lines run unasked; a longer one is another command.
      condition:
        args_match: { command: { not_in: [ls, pwd, git status, git diff, git log] } }
      reason: optional
      edit: [command]

  Edit:
    risk: L2
    approval: { message_template: "Change {{tool_args.file_path}}" }
  Write:
    risk: L2
    approval: { message_template: "Write {{tool_args.file_path}}" }

tests:
  - name: looking is free
    call: { tool: Read, args: { file_path: notes.txt } }
    expect: allow
  - name: a plain look at the repository runs
    call: { tool: Bash, args: { command: git status } }
    expect: allow
  - name: anything else in a shell asks
    call: { tool: Bash, args: { command: git push } }
    expect: confirm
    message: Run git push
  - name: a harmless beginning does not help
    call: { tool: Bash, args: { command: "git status; rm -rf ." } }
    expect: confirm
  - name: new tools ask until a rule names them
    call: { tool: SomethingNew, args: {} }
    expect: confirm
  - name: MCP tools ask
    call: { tool: create_issue, server: github, args: {} }
    expect: confirm
`

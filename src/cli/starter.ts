export const SCHEMA_FILE = 'countersign.schema.json'

/** The first policy a new user reads. It teaches by example, so every example in it is tested. */
export const STARTER = `# yaml-language-server: $schema=${SCHEMA_FILE}
#
# What your agents may do by themselves, and what a person decides first.
#
#   countersign policy check      finds mistakes in this file
#   countersign policy test       runs the tests at its end
#   countersign policy explain --tool send_email --args '{"to":"ana@example.com"}'
#
# There are four verdicts. The strictest rule wins, whatever the order.
#   allow     the call runs
#   confirm   one person says yes: the one the agent works for, or an approver
#   review    another person says yes: the approvers or groups named here
#   deny      the call does not run
version: 1

# What holds where nothing below says otherwise.
defaults:
  undeclared: confirm   # tools in your own process that are not named under tools:
  gateway: confirm      # tools of MCP servers that say nothing about approval
  decide_by: 24h        # a question without an answer by then never becomes a yes
  # use_by: 15m         # how long an unused yes lives; 24h for runs that are suspended unless set
  # remember_no: run    # a no answers equal calls of the same run; or call, or 1h

# The people who may be asked. Replace these addresses.
people:
  groups:
    finance: [ana@example.com, bo@example.com]
    security: [cy@example.com]

# Tools that run in your own process, by name.
tools:
  read_file:
    approval: false     # never asks

  send_email:
    risk: L2
    approval:
      message_template: 'Send "{{tool_args.subject}}" to {{tool_args.to}}?'
      # Asks only when this holds. What cannot be tested asks as well: an
      # address that is missing, or is not text, is never a reason to go on.
      condition:
        args_match:
          to: { not_in: [team@example.com, me@example.com] }

  transfer_money:
    risk: L4
    approval:
      message_template: "Transfer {{tool_args.amount}} {{tool_args.currency}} to {{tool_args.to}}?"
      condition:          # a list: one group that holds is enough
        - args_match: { amount: { gt: 1000 } }
        - args_match: { recipient_type: external }
      quorum:             # two different people, one of each group
        - { group: finance, n: 1 }
        - { group: security, n: 1 }
      decide_by: 8h
      reason: required    # a no needs a reason; the agent reads it
      edit: [amount]      # an approver may change the amount, and nothing else

# MCP servers you did not write.
mcp_servers:
  - alias: files
    command: npx
    args: [-y, "@modelcontextprotocol/server-filesystem", "."]
    approval: true        # every tool of this server asks …
    allowed_tools:        # … nothing else of it can be called …
      - write_file
      - { name: list_directory, approval: false }   # … and this one never asks

# Rules that only ever tighten, whatever stands above.
governance:
  - id: no-production-deletes
    match: { tool: "delete_*" }
    condition: { args_match: { environment: production } }
    deny: Production data is deleted by the platform team only.

# Say what you expect, and \`countersign policy test\` keeps you honest.
tests:
  - name: reading is free
    call: { tool: read_file, args: { path: notes.txt } }
    expect: allow
  - name: mail to the team goes out
    call: { tool: send_email, args: { to: team@example.com, subject: Hello } }
    expect: allow
  - name: mail to anyone else asks
    call: { tool: send_email, args: { to: dee@example.com, subject: Hello } }
    expect: confirm
    message: 'Send "Hello" to dee@example.com?'
  - name: small transfers inside the company run
    call: { tool: transfer_money, args: { amount: 50, currency: EUR, to: Lena, recipient_type: internal } }
    expect: allow
  - name: an amount sent as text is not a small amount
    call: { tool: transfer_money, args: { amount: "50", currency: EUR, to: Lena, recipient_type: internal } }
    expect: review
  - name: writing a file asks
    call: { tool: write_file, server: files, args: { path: notes.txt, content: Hello } }
    expect: confirm
  - name: production is off limits
    call: { tool: delete_rows, args: { environment: production } }
    expect: deny
`

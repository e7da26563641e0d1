/** The policy that the seeded server runs on: one rule for each kind of card. */

export interface PolicyParts {
  /** Where two of its servers run over stdio; absent: none can be reached from here. */
  readonly servers?: string
}

const PEOPLE = `people:
  groups:
    finance: [ana@example.com, bo@example.com]
    security: [cy@example.com]
    platform: [ana@example.com]
    chiefs: [dee@example.com]
`

export function seedPolicy({ servers }: PolicyParts = {}): string {
  const reached = (alias: string) =>
    servers === undefined
      ? `\n    server_ref: ${alias}`
      : `\n    command: node\n    args: [mcp-server.mjs, ${alias}.json]\n    cwd: ${servers}`
  return `version: 1
defaults: { undeclared: allow, gateway: confirm }
${PEOPLE}
tools:
  refund:
    risk: L2
    approval: { approvers: ["*"], decide_by: 8h }
  wipe: { risk: L4, approval: false }

mcp_servers:
  - alias: payments
    description: The bank${reached('payments')}
    approval: true
    allowed_tools:
      - name: transfer_money
        risk: L4
        approval:
          message_template: "Approve transfer of \${{tool_args.amount}}?"
          condition:
            - args_match: { amount: { gt: 10000 }, currency: USD }
            - args_match: { recipient_type: external }
          quorum: [{ group: finance, n: 1 }, { group: security, n: 1 }]
          escalate: [{ after: 15m, to: { group: chiefs }, for: security }]
          decide_by: 1h
          reason: required
          edit: [amount, currency, memo]
      - { name: close_account, risk: L5 }
      - { name: get_balance, approval: false }
  - alias: files${reached('files')}
  - alias: tracker${servers === undefined ? '\n    server_ref: tracker' : '\n    command: /nowhere/tracker'}
    approval: { approvers: ["*"] }
  - alias: dns
    server_ref: dns
    allowed_tools:
      - name: update_record
        risk: L5
        approval: { message_template: "Point {{tool_args.name}} at {{tool_args.value}}?", decide_by: 30m }
  - alias: claude-code
    server_ref: claude-code
    allowed_tools:
      - name: Bash
        risk: L4
        approval: { message_template: "Run a shell command in {{tool_args.cwd}}?", decide_by: 2h30m }
      - name: Edit
        risk: L3
        approval: { message_template: "Change {{tool_args.file_path}}?" }
  - alias: mail
    server_ref: mail
    allowed_tools:
      - name: send
        risk: L3
        approval: { message_template: "Send “{{tool_args.subject}}”?", decide_by: 8h, edit: [subject, body] }
  - alias: newsletter
    server_ref: newsletter
    allowed_tools:
      - name: send
        risk: L3
        approval:
          quorum: [{ group: finance, n: 1 }, { group: security, n: 1 }]
          edit: [subject]
  - alias: crm
    server_ref: crm
    allowed_tools:
      - { name: update_contact, risk: L2, approval: { decide_by: 6h } }
      - { name: delete_contact, risk: L3, approval: { decide_by: 1h } }
  - alias: calendar
    server_ref: calendar
    allowed_tools:
      - name: create_event
        risk: L1
        approval: { message_template: "Put “{{tool_args.title}}” in the calendar?" }
  - alias: warehouse
    server_ref: warehouse
    allowed_tools:
      - name: execute
        risk: L4
        approval: { message_template: "Run execute on {{tool_args.database}}?", approvers: ["*"] }
  - alias: shop
    server_ref: shop
    allowed_tools:
      - { name: refund_many, risk: L2, approval: { message_template: "Refund several orders?" } }
  - alias: blog
    server_ref: blog
    allowed_tools:
      - { name: post, risk: L2, approval: { message_template: "Publish a note?" } }
  - alias: demo
    server_ref: demo
    risk: L1

tests:
  - name: large transfers need two
    call: { server: payments, tool: transfer_money, args: { amount: 9000, currency: USD, recipient_type: external } }
    expect: review
`
}

/** Governance and its groups; no tool and no server. */
export const SMALL_POLICY = `version: 1
${PEOPLE}`

export const SEED_GOVERNANCE = `version: 1
governance:
  - id: dns-needs-platform
    match: { server: dns }
    condition: { args_match: { zone: example.com } }
    approval: { quorum: [{ group: platform, n: 1 }] }
  - id: no-production-deletes
    match: { tool: "delete_*", risk: { gte: L3 } }
    condition: { args_match: { environment: production } }
    deny: Production data is deleted by the platform team only.
  - id: writes-are-confirmed
    match: { server: files, tool: write_file }
    approval: true
`

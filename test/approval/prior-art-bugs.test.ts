import { expect, test } from 'vitest'
import type { Approval } from '../../src/approval/approval.ts'
import type { Command } from '../../src/approval/command.ts'
import { mayStart } from '../../src/approval/commands/execution.ts'
import { step } from '../../src/approval/step.ts'
import { callDigest } from '../../src/base/json/digest.ts'
import {
  after,
  ana,
  anyApprover,
  asked,
  asks,
  bo,
  call,
  claimOf,
  commandId,
  cy,
  DEFINITION,
  DIGEST,
  editTo,
  eve,
  forbidden,
  kim,
  MINUTE,
  NOON,
  no,
  OTHER,
  outcome,
  policyOf,
  requestFor,
  send,
  someone,
  terms,
  twoFinance,
  yes,
} from './asking.ts'

// Approval bugs that real systems had. Each keeps its number in the list of threats.

const soon = NOON + MINUTE
const approved = after(asked(), yes(kim))

// vercel/ai #15947, #16068; adk-rs, tool confirmation
test('bug 1, 26: a decision in another shape than a person’s answer decides nothing', () => {
  const forged: unknown[] = [
    { type: 'decide', commandId: commandId(), verdict: 'approve', seen: DIGEST },
    { type: 'decide', commandId: commandId(), by: 'kim', verdict: 'approve', seen: DIGEST },
    {
      type: 'decide',
      commandId: commandId(),
      by: { agent: 'billing-bot' },
      verdict: 'approve',
      seen: DIGEST,
    },
    { ...yes(kim), verdict: true },
    { ...yes(kim), verdict: 'Approve' },
    { ...yes(kim), verdict: 'yes' },
    { ...yes(kim), approved: true },
    { ...yes(kim), seen: undefined },
    { type: 'tool-approval-response', approvalId: 'apr-1', approved: true },
    'approve',
    null,
  ]
  for (const command of forged) {
    expect(step(asked(), command as Command, soon)).toMatchObject({ code: 'invalid_command' })
  }
})

// vercel/ai #17493
test('bug 2: a name with a line break in it does not become another tool', async () => {
  const bound = {
    tenant: 't',
    door: 'd',
    kind: 'tool',
    definition: DEFINITION,
    agent: 'a',
    arguments: '{}',
  } as const
  const one = await callDigest({ ...bound, server: 'files', tool: 'read\nwrite' })
  const other = await callDigest({ ...bound, server: 'files\nread', tool: 'write' })
  expect(one).not.toBe(other)
})

// n8n CVE-2026-110841; atlas-ui-3 #511, vaporforge #93, cadis #1098
test('bug 3, 33: knowing the id is not enough to approve', () => {
  expect(outcome(step(asked(), yes(eve), soon))).toBe('not_an_approver')
})

// mastra #20470
test('bug 4: a denied call is never claimed', () => {
  const denied = after(asked(), no(kim))
  expect(outcome(step(denied, claimOf(denied, { voters: [kim] }), soon))).toBe('denied')
  const loosened = claimOf(denied, {
    answer: { verdict: 'allow', requirements: [], policy: 'none' },
  })
  expect(outcome(step(denied, loosened, soon))).toBe('denied')
})

// mastra #19633
test('bug 5: a click meant for the call shown before does not approve the one that is there now', () => {
  const next = asked({ id: 'apr-2', digest: OTHER, call: { ...call, key: 'call-2' } })
  expect(outcome(step(next, yes(kim, { seen: DIGEST }), soon))).toBe('call_changed')
})

// OpenClaw CVE-2026-28466
test('bug 7: control fields from outside are refused, not obeyed', () => {
  for (const stray of ['approved', 'bypass', 'status', 'execution', 'revision']) {
    expect(step(asked(), { ...yes(eve), [stray]: true } as Command, soon)).toMatchObject({
      ok: false,
    })
  }
})

// OpenClaw CVE-2026-32058; OpenClaw CVE-2026-29608
test('bug 8, 10: a call that differs from what was approved is not the approved call', () => {
  expect(outcome(step(approved, claimOf(approved, { digest: OTHER }), soon))).toBe('call_changed')
})

// OpenClaw CVE-2026-35630, CVE-2026-100585; OpenClaw CVE-2026-32906
test('bug 14, 15: an approver of one kind of call does not decide another', () => {
  const finance = asked({ requirements: [asks({ approvers: [{ group: 'finance' }] })] })
  const security = asked({ requirements: [asks({ approvers: [{ group: 'security' }] })] })
  expect(outcome(step(finance, yes(cy), soon))).toBe('not_an_approver')
  expect(outcome(step(security, yes(bo), soon))).toBe('not_an_approver')
})

// Atmosphere 40d616b6, 56b1046f
test('bug 22: edited arguments are judged by the policy, and what it denies is not edited in', () => {
  const edit = editTo(OTHER, { answer: forbidden })
  expect(outcome(step(asked(), yes(kim, { edit }), soon))).toBe('edit_denied')
})

// Cloudflare Agents, approveMulti example
test('bug 24: the same person counts once', () => {
  const approval = asked({ requirements: [twoFinance] })
  expect(after(approval, yes(ana), yes(ana), yes(ana)).status).toBe('pending')
  const tagged = { ...ana, subject: 'ana-phone', issuer: 'https://chat.example.com' }
  expect(after(approval, yes(ana), yes(tagged)).status).toBe('pending')
})

// Cloudflare Agents, approveMulti example
test('bug 24: a vote beyond the quorum runs nothing again', () => {
  const both = after(asked({ requirements: [twoFinance] }), yes(ana), yes(bo))
  const third = someone('fay', { groups: ['finance'] })
  expect(step(both, yes(third), soon)).toMatchObject({
    code: 'already_decided',
    events: [{ type: 'late' }],
  })
  const running = after(both, claimOf(both))
  expect(outcome(step(running, yes(third), soon))).toBe('already_claimed')
  expect(outcome(step(running, claimOf(running), soon))).toBe('already_claimed')
})

// Cloudflare Agents, approveMulti example
test('bug 24: a rejection counts', () => {
  const denied = after(asked({ requirements: [twoFinance] }), yes(ana), no(bo))
  expect(denied.status).toBe('denied')
  expect(outcome(step(denied, yes(someone('fay', { groups: ['finance'] })), soon))).toBe('denied')
})

// Cloudflare Agents, approveMulti example; Agent Format, approval section
test('bug 24, 25: an unanswered question never becomes a yes', () => {
  const approval = asked()
  const expired = step(approval, send('expire', {}), approval.decideBy)
  expect(outcome(expired)).toBe('expired(undecided)')
  expect(outcome(step(approval, claimOf(approval), approval.decideBy + MINUTE))).toBe('expired')
})

// datalayer agent-runtimes #104
test('bug 27: the approval is spent before the call runs, so a crash leaves nothing to reuse', () => {
  const running = after(approved, claimOf(approved))
  const crashed = after(running)
  const lost = step(crashed, send('lost', {}), crashed.changedAt + 31_000)
  expect(outcome(lost)).toBe('unknown')
  if (!lost.ok) throw new Error(lost.message)
  expect(outcome(step(lost.approval, claimOf(lost.approval), lost.approval.changedAt))).toBe(
    'already_claimed',
  )
  expect(mayStart(lost.approval, 'claim-1', lost.approval.changedAt)).toBe(false)
})

// mattermost agents #908
test('bug 28: each call of a batch has its own approval, and one yes is for one call', () => {
  const batch = ['1', '2', '3'].map((n) =>
    asked({ id: `apr-${n}`, digest: n.repeat(64), call: { ...call, key: n } }),
  )
  const [, second] = batch
  const ran = batch.map((approval) => {
    const seen = second?.digest ?? DIGEST
    return outcome(step(approval, yes(kim, { seen }), soon))
  })
  expect(ran).toEqual(['call_changed', 'approved', 'call_changed'])
})

// agent-os #1613
test('bug 29: how long a caller waits is not how long the question lives', () => {
  const approval = asked({ terms: { ...terms, waitFor: 10_000 } })
  expect(outcome(step(approval, yes(kim), NOON + 30 * MINUTE))).toBe('approved')
})

// opencompany #1490
test('bug 30: a late click is recorded as late, never as an approval', () => {
  const approval = asked()
  const late = step(approval, yes(kim), approval.decideBy + 1)
  expect(late).toMatchObject({ ok: false, code: 'expired' })
  expect(late.events.map(({ type }) => type)).toEqual(['expired', 'late'])
  expect(late.approval?.decisions).toEqual([])
})

// patchwork-os #1537; curie #417, #430
test('bug 31, 32: time alone ends a question, and the end is in the record', () => {
  const approval = asked()
  for (const command of [yes(kim), claimOf(approval), send('remind', {}), send('expire', {})]) {
    const transition = step(approval, command, approval.decideBy)
    expect(transition.approval).toMatchObject({
      status: 'expired',
      reason: 'undecided',
      revision: 2,
    })
    expect(transition.events[0]).toMatchObject({ type: 'expired', code: 'undecided' })
  }
})

// curie #417, #430
test('bug 32: an approved call is not asked again when it is resumed', () => {
  const again = step(approved, requestFor({ id: 'apr-9' }), soon)
  expect(again.approval).toBe(approved)
})

// pi-mcp-adapter #372, OpenClaw #112946, ShieldCortex #241
test('bug 34: a grant stands for its maker on this very call, or not at all', () => {
  const holder = { claim: 'c', instance: 'i' }
  const strict = requestFor({
    requirements: [anyApprover, asks({ rule: 'governance.x', approvers: [{ group: 'security' }] })],
    grant: { id: 'g', minter: kim, holder },
  })
  expect(outcome(step(undefined, strict, NOON))).toBe('grant_not_enough')
})

// Cursor CVE-2025-54136
test('bug 40: a tool whose definition changed after the yes does not run', () => {
  const claim = claimOf(approved, { definition: 'a'.repeat(64) })
  const transition = step(approved, claim, soon)
  expect(transition).toMatchObject({ ok: false, code: 'invalidated' })
  expect(transition.approval).toMatchObject({ status: 'invalidated', reason: 'tool' })
})

// Cases of the threat model that the machine alone can show.

test('a policy that became stricter while the yes waited is obeyed; an unrelated change is not felt', () => {
  const stricter = claimOf(approved, { answer: policyOf([anyApprover, twoFinance]) })
  expect(step(approved, stricter, soon).approval).toMatchObject({ reason: 'policy' })
  const elsewhere = claimOf(approved, {
    answer: { ...policyOf([anyApprover]), policy: 'policy-2' },
  })
  expect(outcome(step(approved, elsewhere, soon))).toBe('running')
})

test('removing a voter between the yes and the claim stops the call', () => {
  const gone = (approval: Approval) => claimOf(approval, { voters: [] })
  expect(step(approved, gone(approved), soon).approval).toMatchObject({ reason: 'voter' })
})

test('joining the group after asking does not make the requester an approver', () => {
  const asker = someone('zoe', { groups: ['finance'], roles: ['approver'] })
  const approval = asked({ call: { ...call, requester: { issuer: asker.issuer, subject: 'zoe' } } })
  expect(outcome(step(approval, yes(asker), soon))).toBe('self_approval')
})

test('deadlines of a year are just numbers', () => {
  const year = 365 * 24 * 60 * MINUTE
  const approval = asked({ terms: { ...terms, decideBy: year } })
  expect(outcome(step(approval, yes(kim), NOON + year - 1))).toBe('approved')
  expect(outcome(step(approval, yes(kim), NOON + year))).toBe('expired')
})

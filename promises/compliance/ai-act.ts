import type { Standard } from './requirement.ts'

/** What a product can do for the people who oversee a high-risk system. */
export const AI_ACT: Standard = {
  title: 'EU AI Act, human oversight and records',
  source:
    'Regulation (EU) 2024/1689, articles 12, 14, 19 and 26. Whether your system is a high-risk one, and what else applies to you, is a question for your counsel; this page says what the product does.',
  requirements: {
    '12(1)': {
      asks: 'Events are recorded automatically over the life of the system.',
      by: ['CS-AUDIT-1', 'CS-PEOPLE-5', 'CS-EVIDENCE-2', 'CS-EVIDENCE-3'],
      leaves: 'The record covers calls that reach Countersign.',
    },
    '14(1)': {
      asks: 'People can oversee the system effectively while it is used, with suitable interfaces.',
      by: ['CS-INBOX-1', 'CS-INBOX-31', 'CS-INBOX-33', 'SP-11'],
    },
    '14(3)': {
      asks: 'Measures are proportionate to risk, autonomy and context, built in or set by the deployer.',
      by: ['CS-POLICY-13', 'CS-POLICY-14', 'CS-POLICY-10', 'CS-RISK-1'],
    },
    '14(4)(a)': {
      asks: 'Overseers understand what the system can do, monitor it, and notice anomalies.',
      by: ['CS-INBOX-36', 'CS-INBOX-37', 'CS-INBOX-32', 'CS-EVIDENCE-3'],
      leaves: 'Training people is the task of the deployer.',
    },
    '14(4)(b)': {
      asks: 'Overseers stay aware of automation bias.',
      by: ['CS-INBOX-36', 'CS-MCP-6', 'CS-INBOX-5', 'CS-INBOX-6'],
      leaves:
        'Insights show a person how fast and how uniformly they decide; no one is kept from deciding quickly.',
    },
    '14(4)(c)': {
      asks: 'Overseers can interpret the output correctly.',
      by: ['CS-POLICY-18', 'CS-INBOX-10', 'CS-PREVIEW-1', 'CS-PREVIEW-7', 'CS-TALK-1'],
    },
    '14(4)(d)': {
      asks: 'Overseers can decide not to use the output, or disregard, override or reverse it.',
      by: ['SP-18', 'CS-GATE-16', 'AF-55', 'CS-GATE-11'],
      leaves: 'A call that ran is reversed by another call, where its tool offers one.',
    },
    '14(4)(e)': {
      asks: 'Overseers can stop the system by a stop button or a similar procedure.',
      by: ['CS-INBOX-9', 'CS-LOCK-1', 'CS-LOCK-2', 'CS-LOCK-3'],
      leaves: 'No further call starts; a tool that runs already is not interrupted.',
    },
    '14(5)': {
      asks: 'Where the law wants it, at least two competent people verify and confirm separately.',
      by: ['CS-POLICY-13', 'CS-POLICY-15', 'CS-PEOPLE-8', 'CS-EVIDENCE-12'],
      leaves: 'Competence, training and authority of these people are for the deployer.',
    },
    '19(1), 26(6)': {
      asks: 'Logs are kept for at least six months.',
      by: ['CS-EVIDENCE-1', 'CS-AUDIT-3', 'CS-SERVE-9'],
      leaves:
        'Entries are never deleted. `retain` erases arguments and reasons: set it to six months or more, or leave it out.',
    },
    '26(2)': {
      asks: 'Oversight is assigned to people with the necessary authority.',
      by: ['CS-PEOPLE-3', 'CS-PEOPLE-4', 'CS-EVIDENCE-11'],
    },
  },
}

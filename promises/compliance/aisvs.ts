import type { Standard } from './requirement.ts'

/** The parts of chapter C9 that an approval gate can keep. */
export const AISVS: Standard = {
  title: 'OWASP AISVS 1.0, C9: orchestration and agentic action',
  source:
    '[AI Security Verification Standard](https://github.com/OWASP/AISVS), `1.0/en/0x10-C09-Orchestration-and-Agentic-Action.md`. All of C9.2, and those lines of C9.4 to C9.8 that concern authorization, audit and stopping.',
  requirements: {
    '9.2.1': {
      asks: 'Privileged or irreversible actions need the explicit approval of a person.',
      by: ['SP-12', 'AF-43', 'CS-POLICY-7', 'CS-POLICY-10', 'SP-18'],
      leaves:
        'Which actions these are is what the policy says; a tool that no rule names in-process runs unless the defaults ask.',
    },
    '9.2.2': {
      asks: 'The request shows all parameters in one canonical form, neither cut nor reworded.',
      by: ['CS-GATE-2', 'CS-INBOX-1', 'CS-INBOX-7', 'CS-INBOX-8', 'CS-INBOX-10', 'CS-SERVE-9'],
      leaves: 'Secrets are masked; an approver reveals them, on record.',
    },
    '9.2.3': {
      asks: 'An approval is cryptographically bound to the parameters, the requester and the context.',
      by: ['CS-GATE-2', 'CS-PASSKEY-1', 'CS-PROOF-1', 'CS-AUDIT-1', 'CS-EVIDENCE-4'],
      leaves:
        'A signature of the person needs `min_assurance: passkey`; without it the record binds by digest and hash chain, signed by the server.',
    },
    '9.2.4': {
      asks: 'An approval has a nonce and is used once.',
      by: ['CS-GATE-1', 'CS-PROOF-2', 'CS-HA-2', 'CS-HA-3'],
    },
    '9.2.5': {
      asks: 'An approval ends after a set time and is refused from then on.',
      by: ['SP-13', 'CS-GATE-14', 'CS-GATE-18', 'CS-PROOF-3', 'AF-52'],
    },
    '9.2.6': {
      asks: 'Where an action can be rolled back, compensating actions are defined and tested.',
      reason:
        'What undoes an action belongs to the tool. Countersign says whether a call ran, failed or is unknown, and never repeats one by itself (CS-GATE-3); a compensating tool is a call like any other.',
    },
    '9.4.3': {
      asks: 'The audit log is tamper-evident, can be verified independently, and tells who acted for whom, under which policy version, with which parameters, approvals and outcome.',
      by: [
        'CS-AUDIT-1',
        'CS-AUDIT-2',
        'CS-AUDIT-4',
        'CS-AUDIT-7',
        'CS-AUDIT-8',
        'CS-EVIDENCE-1',
        'CS-EVIDENCE-10',
      ],
      leaves: 'Keep a checkpoint or an export where the admin of the database cannot write.',
    },
    '9.4.4': {
      asks: 'Credentials of agents rotate, and are revoked at once when they may be known.',
      by: ['CS-INBOX-13', 'CS-SERVE-6', 'CS-LOCK-1'],
      leaves:
        'A token has an end and is revoked at once; making the next one on a schedule is for your deployment.',
    },
    '9.5.2': {
      asks: 'Messages are validated against strict schemas; unknown, malformed and oversized ones are refused.',
      by: ['CS-SEC-6', 'CS-POLICY-17', 'CS-STUDIO-5'],
    },
    '9.6.1': {
      asks: 'A runtime policy limits which tools an agent may call and with which parameters, and blocks everything else.',
      by: ['CS-POLICY-1', 'CS-POLICY-3', 'CS-POLICY-8', 'AF-46'],
    },
    '9.6.3': {
      asks: 'Authorization is evaluated anew for every call, with the current context.',
      by: ['SP-11', 'CS-GATE-14', 'CS-LOCK-2', 'CS-PEOPLE-2', 'CS-GATE-27'],
    },
    '9.6.4': {
      asks: 'Decisions are made by software or people, never by the model, and its words cannot override them.',
      by: ['AF-54', 'CS-AGENT-1', 'CS-GRANT-9', 'CS-POLICY-19', 'CS-TALK-2'],
    },
    '9.6.5': {
      asks: 'Secrets that an agent uses are not in the context of the model.',
      by: ['CS-STUDIO-4', 'CS-AGENT-2', 'CS-SEC-8'],
      leaves:
        'Holds for servers and tools that get their secrets from Countersign. What a model writes into arguments itself, it knows.',
    },
    '9.6.6': {
      asks: 'Under delegation both the agent and the person it acts for must be permitted.',
      by: ['CS-AGENT-3', 'CS-AGENT-4', 'CS-GATE-22', 'AF-48'],
    },
    '9.7.1': {
      asks: 'Before execution, hard constraints are checked and a violation blocks the call.',
      by: ['CS-POLICY-1', 'CS-POLICY-3', 'CS-GATE-24', 'CS-LOCK-3'],
    },
    '9.8.1': {
      asks: 'Tenants and environments are isolated from each other.',
      by: ['CS-SERVE-6', 'CS-PROOF-1'],
      leaves: 'Isolating run times and networks of agents is for your deployment.',
    },
    '9.8.5': {
      asks: 'Rates of actions are limited, for single agents and in total.',
      by: ['CS-GATE-24', 'CS-SERVE-3'],
      leaves: 'Limits are per agent; there is none for all agents together.',
    },
    '9.8.6': {
      asks: 'All agents, or selected ones, can be halted within a set time.',
      by: ['CS-LOCK-1', 'CS-LOCK-4', 'CS-INBOX-9'],
      leaves:
        'No further call starts. A tool that runs already is not interrupted, and programs that do not call through Countersign are not reached.',
    },
  },
}

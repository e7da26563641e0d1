import { from } from '../promised.ts'

/** What enforcement points and decision points that speak AuthZEN can rely on. */
export const COUNTERSIGN_AUTHZEN = from('Countersign', {
  'CS-AZ-1': {
    area: 'authzen',
    says: 'An AuthZEN evaluation answers `true` only for a call that the policy allows, or one whose approval is used up by this very evaluation.',
  },
  'CS-AZ-2': {
    area: 'authzen',
    says: 'An evaluation asks no person and stores no approval; a denial that people could lift says so in `context.access_request`.',
  },
  'CS-AZ-3': {
    area: 'authzen',
    says: 'The subject of an evaluation is the agent of the token; any other subject is refused with 403.',
  },
  'CS-AZ-4': {
    area: 'authzen',
    says: 'Several evaluations are answered in order, each by itself, and stop where `options.evaluations_semantic` says so.',
    differs:
      'AuthZEN leaves open whether an approval counts in a list; here a single evaluation alone uses it up, because of a list not every call may run.',
  },
  'CS-AZ-5': {
    area: 'authzen',
    says: 'Members that AuthZEN does not define are ignored, and a required one that is missing is refused with 400.',
  },
  'CS-AZ-6': {
    area: 'authzen',
    says: 'A request of AuthZEN that has an `X-Request-ID` gets the same one back, with refusals too.',
  },
  'CS-AZ-7': {
    area: 'authzen',
    says: 'The AuthZEN metadata names the evaluation and access request endpoints of this server, and the capability of the profile.',
  },
  'CS-AZ-8': {
    area: 'authzen',
    says: 'An access request is taken only for exactly what was evaluated and denied, by the same agent, within ten minutes.',
  },
  'CS-AZ-9': {
    area: 'authzen',
    says: 'An access request asks people once; sent again with its `Idempotency-Key` it finds the same task, and with another call it is refused with 409.',
  },
  'CS-AZ-10': {
    area: 'authzen',
    says: 'A task is `approved` only when the people whom the policy names have approved it; it says for how long, and no other end is called approved.',
  },
  'CS-AZ-11': {
    area: 'authzen',
    says: 'A re-evaluation with an approval claims it: `true` once, for exactly the approved subject, action, resource and context.',
    differs:
      'The profile lets an approval be used until it ends; ours is used up by one call, and a grant is what lets many calls through.',
  },
  'CS-AZ-12': {
    area: 'authzen',
    says: 'Where people edited the call before they approved it, the edited call alone is in scope, and the task says what that is.',
    differs:
      'The profile knows no edits; a scope that is narrower than what was asked is its place for them.',
  },
  'CS-AZ-13': {
    area: 'authzen',
    says: 'A denied re-evaluation says what to do next: `request` with a fresh denial, `retry` after some seconds, or `none`.',
  },
  'CS-AZ-14': {
    area: 'authzen',
    says: 'An enforcement point cancels a task that waits; one that has ended is refused with 409.',
  },
  'CS-AZ-15': {
    area: 'authzen',
    says: 'A task of another agent, another tenant or another door is unknown: looking, cancelling and presenting it get nothing.',
  },
  'CS-AZ-16': {
    area: 'authzen',
    says: 'A call that was allowed by a claim and never reported counts as unknown when its lease ends, and its approval is good for no second run.',
    differs:
      'The profile ends with the decision; here the enforcement point reports the outcome to `/v1/approvals/{id}/result`.',
  },
  'CS-AZ-17': {
    area: 'authzen',
    says: 'What the profile leaves to deployments is refused where it cannot be kept: bundles, callbacks, binding tokens, approval state and chains of actors.',
  },
  'CS-AZ-18': {
    area: 'authzen',
    says: 'A decision point of the policy (`pdp`) is asked about every call that its rules do not deny, and can only tighten what they say.',
  },
  'CS-AZ-19': {
    area: 'authzen',
    says: 'A decision point is asked once when a call is judged and once more when its approval is claimed; nothing is cached, and it reads no secret.',
  },
  'CS-AZ-20': {
    area: 'authzen',
    says: 'A decision point that fails, answers late or answers anything else than a decision denies the call, or has a person asked where `on_error` says so.',
  },
})

import { from } from '../promised.ts'

/** What the page about tool approval policies says, as far as the policy itself keeps it. */
export const ATMOSPHERE = from('Atmosphere', {
  'AT-1': {
    area: 'modes',
    says: 'A mode is given with the call or the run and leaves the tools and the files as they are.',
  },
  'AT-2': {
    area: 'modes',
    says: 'There are the modes `annotated`, `allowAll`, `denyAll` and `custom`, and no way to make one of your own; a gate refuses any other object.',
    differs:
      'Ours has one more, `observe`, for rolling a policy out: it looks and enforces governance alone.',
  },
  'AT-3': {
    area: 'modes',
    says: 'The policy is asked anew for every call and answers with one verdict.',
    differs:
      'Atmosphere answers yes or no; a closed set of four verdicts keeps "denied" from being mistaken for "ask".',
  },
  'AT-4': {
    area: 'modes',
    says: 'Without a mode, `annotated` is used.',
  },
  'AT-5': {
    area: 'modes',
    says: 'Under `annotated` a tool that declares approval is always asked about, and an in-process tool that does not is never.',
  },
  'AT-6': {
    area: 'questions',
    says: 'A declaration may carry its own words for the approver.',
  },
  'AT-8': {
    area: 'modes',
    says: 'Under `allowAll` every tool runs without a question, declared ones too, unless governance objects.',
    differs:
      'In Atmosphere nothing stands above AllowAll; a mode is set in code and must not undo governance.',
  },
  'AT-9': {
    area: 'modes',
    says: '`allowAll()` throws when `NODE_ENV` is `production`, and so does a gate that is given one made before.',
    differs: 'Atmosphere warns in its documentation only.',
  },
  'AT-10': {
    area: 'modes',
    says: 'Under `denyAll` every call is denied, whatever files, code, switches or governance say.',
  },
  'AT-11': {
    area: 'modes',
    says: 'A call denied by mode tells the model `{"status":"cancelled","message":"Tool execution denied by policy"}` and nothing else.',
  },
  'AT-12': {
    area: 'modes',
    says: 'A denied call carries nothing to answer, so that no approver, strategy or grant can turn it into a yes.',
  },
  'AT-13': {
    area: 'modes',
    says: '`denyAll` is a denial, never a question that happens to be answered no.',
    differs:
      'In Atmosphere DenyAll counts as "requires approval" and must be told apart later, which once went wrong; here the verdict itself says `deny`.',
  },
  'AT-15': {
    area: 'modes',
    says: 'Under `custom` a function of yours is asked about every call and may use whatever it knows; over a server its answer counts where it is stricter than the policy.',
  },
  'AT-16': {
    area: 'modes',
    says: '`custom()` refuses anything that is not a function, at once.',
  },
  'AT-18': {
    area: 'modes',
    says: 'The function of `custom` sees the tool, its arguments, the agent, the acting user and what is declared.',
    differs:
      'In Atmosphere it sees the tool alone, which makes "ask above 100 euro" impossible. Over a server the agent is that of the token, which the function does not see.',
  },
  'AT-19': {
    area: 'modes',
    says: 'One policy answers under several modes side by side, and no mode outlives the call it was given for.',
  },
  'AT-25': {
    area: 'modes',
    says: 'Policy comes before people: what it allows or denies has no question, no requirements and no clocks.',
  },
  'AT-7': {
    area: 'answers',
    says: 'In tests a strategy answers in place of people, through the same door and by the same rules.',
  },
  'AT-14': {
    area: 'modes',
    says: 'Under `denyAll` the model reads the cancellation as the outcome of its call and can go on without it.',
  },
  'AT-20': {
    area: 'running',
    says: 'A call that needs no approval runs at once, and nothing is stored about it.',
  },
  'AT-21': {
    area: 'modes',
    says: '`denyAll` never reaches a strategy, so that nothing can approve what a preview must not run.',
  },
  'AT-22': {
    area: 'answers',
    says: 'A call that must be asked about is parked until its question is over.',
  },
  'AT-23': {
    area: 'running',
    says: 'A yes runs the tool and returns its result.',
  },
  'AT-24': {
    area: 'outcomes',
    says: 'A no returns that a person denied it, and the tool is not run.',
  },
  'AT-28': {
    area: 'modes',
    says: 'Every round of a run sees the mode of the first; a policy that changes counts from the next call on, and for a yes that was not used yet.',
    differs:
      'Atmosphere keeps the policy of the first round as well. Here an operator who tightens a rule must not wait for runs that last for days.',
  },
  'AT-29': {
    area: 'answers',
    says: '`autoApprove()` answers every question with yes, as many people as it needs, and throws in production.',
  },
  'AT-30': {
    area: 'answers',
    says: '`autoDeny()` answers every question with no, and throws in production.',
  },
  'AT-31': {
    area: 'answers',
    says: 'A parked call resumes when a person answers its approval by id.',
  },
  'AT-32': {
    area: 'answers',
    says: 'Listeners get an event for a question as soon as it waits.',
  },
  'AT-33': {
    area: 'running',
    says: 'A question outlives the process that asked it, and a caller that asks again finds its answer.',
    differs: 'In Atmosphere a parked call dies with its thread unless a checkpoint was set up.',
  },
  'AT-34': {
    area: 'running',
    says: 'Listeners hear of a call after the policy has answered, never before.',
  },
  'AT-26': {
    area: 'modes',
    says: 'Behind every SDK the same gate is asked, with its mode, in the process and over a server alike, and a call denied by mode is told in the same words.',
    differs:
      'Over a server `custom` only tightens: the policy of the server decides, which no client may loosen.',
  },
  'AT-35': {
    area: 'modes',
    says: 'Every adapter is tested under every mode, with the real SDK; for the Claude Agent SDK with its hooks as they were recorded.',
    differs:
      'Claude Code is a program of its own that is not free software, so tests cannot bring it along; `npm run proof claude` runs the real one.',
  },
})

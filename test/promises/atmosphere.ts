import { from } from './promised.ts'

/** What the page about tool approval policies says, as far as the policy itself keeps it. */
export const ATMOSPHERE = from('Atmosphere', {
  'AT-1': {
    area: 'modes',
    says: 'A mode is given with the call or the run and leaves the tools and the files as they are.',
  },
  'AT-2': {
    area: 'modes',
    says: 'There are four modes, `annotated`, `allowAll`, `denyAll` and `custom`, and no way to make a fifth.',
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
    says: '`allowAll()` throws when `NODE_ENV` is `production`.',
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
    says: 'Under `custom` a function of yours is asked about every call and may use whatever it knows.',
  },
  'AT-16': {
    area: 'modes',
    says: '`custom()` refuses anything that is not a function, at once.',
  },
  'AT-18': {
    area: 'modes',
    says: 'The function of `custom` sees the tool, its arguments, the agent, the acting user and what is declared.',
    differs: 'In Atmosphere it sees the tool alone, which makes "ask above 100 euro" impossible.',
  },
  'AT-19': {
    area: 'modes',
    says: 'One policy answers under several modes side by side, and no mode outlives the call it was given for.',
  },
  'AT-25': {
    area: 'modes',
    says: 'Policy comes before people: what it allows or denies has no question, no requirements and no clocks.',
  },
})

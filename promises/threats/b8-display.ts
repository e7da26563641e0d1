import type { Threats } from './threat.ts'

const IN_BROWSER =
  'hostile text in every field of a card runs nothing, and reads as the bytes that are bound'
const IN_TERMINAL =
  'in a terminal hostile text steers nothing, and reads as the bytes that are bound'

export const DISPLAY: Threats = {
  'B8-01': {
    threat: 'The agent’s own words are taken for what the call does.',
    tests: {
      'test/server/declared.test.ts': [
        'B8-01: an agent’s template never replaces the question of the policy',
        'B8-01: where the policy words no question, the agent’s words are quoted as its own',
      ],
      'test/server/cards.test.ts': [
        'a card shows what would run, why it was asked and who must decide',
      ],
      'test/cli/decide.test.ts': [
        'what waits is listed and shown, with nothing that could steer the terminal',
      ],
    },
  },
  'B8-02': {
    threat: 'The end of a long argument is cut off, and what is hidden there runs.',
    tests: {
      'test/mcp/ladder.test.ts': ['B8-02: what cannot be shown whole is not asked in the client'],
      'test/cli/inbox.test.ts': ['a yes needs every line on the screen and the end of the digest'],
      'inbox/src/features/decide/coverage.test.ts': ['start and end, not the middle'],
      'inbox/src/features/batch/selection.test.ts': [
        'a yes is preset only after everything was shown, and never for a repetition',
      ],
    },
  },
  'B8-03': {
    threat: 'Blank lines or spaces push the decisive part off the screen.',
    tests: {
      'inbox/src/lib/text/invisible-characters.test.ts': [
        'blank lines that push text away are counted, and can be opened',
      ],
      'test/e2e/payloads.test.ts': ['a megabyte of spaces does not push the decisive word away'],
    },
  },
  'B8-04': {
    threat: 'Control characters in arguments rewrite what a terminal shows.',
    tests: {
      'test/e2e/payloads.test.ts': [IN_TERMINAL],
      'test/cli/decide.test.ts': [
        'what waits is listed and shown, with nothing that could steer the terminal',
      ],
    },
  },
  'B8-05': {
    threat: 'Arguments become links, mentions or formatting in a Slack message.',
    tests: {
      'test/channels/slack.test.ts': [
        'what cannot be seen is written out, and no text of an agent is markup',
      ],
    },
  },
  'B8-06': {
    threat: 'Arguments run as script in the inbox, or in a mail.',
    tests: {
      'test/e2e/payloads.test.ts': [IN_BROWSER],
      'test/server/guard.test.ts': ['every answer carries the security headers'],
    },
    partly:
      'About 150 hostile texts are tried, and the page allows no script but its own; mail is not offered.',
  },
  'B8-07': {
    threat: 'Characters that turn, hide or join text change what people read.',
    tests: {
      'inbox/src/lib/text/invisible-characters.test.ts': [
        'every invisible character of Unicode is drawn',
      ],
      'src/base/invisible-characters.test.ts': ['%j is shown as %j'],
    },
  },
  'B8-08': {
    threat: 'Spaces at the ends are shown trimmed and run as they are.',
    tests: {
      'inbox/src/lib/text/invisible-characters.test.ts': [
        'nothing is lost: the parts of a text carry all of it',
      ],
      'test/e2e/payloads.test.ts': [IN_BROWSER, IN_TERMINAL],
    },
  },
  'B8-09': {
    threat: 'A domain or a word in letters of another alphabet looks familiar.',
    tests: {
      'inbox/src/lib/text/invisible-characters.test.ts': ['%s is recognised as an imitation'],
    },
    partly:
      'The inbox in the browser points it out; the terminal does not. Decide what names domains in the browser.',
  },
  'B8-10': {
    threat: 'An argument holds template syntax and rewrites the question.',
    tests: {
      'src/policy/evaluate/template.test.ts': [
        'what an argument holds is never read as a template',
        'leaves empty and lists %s',
      ],
      'test/promises/countersign-calls.test.ts': ['braces inside an argument stay what they are'],
    },
  },
  'B8-11': {
    threat: 'The way a number is written hides how large it is.',
    tests: {
      'test/e2e/numbers.test.ts': [
        'B8-11: a large number is shown as it is bound, and with its digits in groups',
      ],
    },
    partly:
      'The inbox in the browser groups digits; the terminal shows the number as it is bound. Decide large amounts in the browser, or word the question with them.',
  },
  'B8-12': {
    threat: 'Channels show different things about one call.',
    tests: {
      'src/gateway/downstream/question.test.ts': [
        'B8-01, B8-12: a question shows every argument whole, whatever is in it',
      ],
      'test/e2e/payloads.test.ts': [IN_BROWSER, IN_TERMINAL],
      'test/e2e/payload-views.test.ts': [
        'hostile text reads in every view as the bytes that are bound, and stays text',
      ],
    },
    partly:
      'Webhooks carry the question without its arguments, and are tested apart; people decide where the arguments are shown.',
  },
  'B8-13': {
    threat: 'A framed page, a double click or the Enter key approves by accident.',
    tests: {
      'test/server/guard.test.ts': ['every answer carries the security headers'],
      'test/e2e/deciding.test.ts': [
        'with the keyboard alone: find, read, deny with a reason, approve',
      ],
    },
    partly:
      'Tests wait until Approve may be pressed; none presses it in the half second before, in which it does nothing.',
  },
  'B8-14': {
    threat: 'A card changes under the cursor, and the click approves the new content.',
    tests: {
      'test/e2e/deciding.test.ts': [
        'a call that is edited under the cursor cannot be approved unseen',
      ],
      'src/cli/terminal/state.test.ts': [
        'a call that changed under the eyes has to be read again, and what was typed is gone',
      ],
    },
  },
  'B8-15': {
    threat: 'Secrets in arguments are shown to approvers, logged or sent.',
    tests: {
      'test/secrets/canary.test.ts': ['no secret that went in by any door is found in any place'],
      'test/server/reveal.test.ts': [
        'a masked value is shown to who may decide, and it is on record',
        'no other person is shown one',
      ],
    },
  },
  'B8-16': {
    threat: 'Labels of a form pass for words of the page, or steer the browser or the terminal.',
    tests: {
      'inbox/test/forms.test.ts': [
        'words of the asker stand in the frame of what is claimed, drawn as text',
      ],
      'src/cli/terminal/filling.test.ts': [
        'the form is asked field by field, and a yes sends what was typed',
      ],
      'test/cli/forms.test.ts': ['show prints the form, and --set fills it in'],
    },
    partly:
      'A label can still name its field wrongly: what it means is for the asker to say, and the person sees that it is the asker who says it.',
  },
  'B8-17': {
    threat:
      'What a program says its call would do is taken for checked, is swapped after people read it, or draws on the card.',
    tests: {
      'inbox/test/previews.test.ts': [
        'a preview stands below what was computed, as the statement of the program',
        'a preview cannot draw, nor speak outside of its block',
      ],
      'src/cli/print/show-preview.test.ts': [
        'in a terminal a preview stands behind a bar, below what was computed',
      ],
      'test/server/previews.test.ts': [
        'a preview that was changed in the database is not shown, and the call cannot be approved',
        'arguments, definitions and an AuthZEN request that speak of a preview make none',
      ],
      'test/gate/previews.test.ts': [
        'the same call asked again keeps its question, its preview and its yes',
      ],
    },
    partly:
      'A preview is the word of the program: one that lies about its own call is labelled, not found out.',
  },
  'B8-18': {
    threat:
      'What a workflow reports of itself passes for the record, or another agent reports on its run.',
    tests: {
      'test/e2e/runs.test.ts': [
        'what a workflow reports is on the page of its run, as plain text, in the inbox and in the terminal',
      ],
      'test/server/runs.test.ts': [
        'the page of a run shows its questions and what the workflow reported, secrets hidden, and none of it decides',
        'another agent, another user and another door report nothing on a run, although it has the same id',
      ],
    },
    partly: 'A workflow that lies about its own run is labelled, not found out.',
  },
  'B8-19': {
    threat:
      'The card that an MCP client shows runs markup of a call, decides something, or is replaced by the page of a server.',
    tests: {
      'test/e2e/approval-app.test.ts': [
        'in a host with the extension’s own bridge the card shows a hostile call as text, and runs nothing of it',
        'a result that a host was handed from elsewhere writes no markup and opens no other kind of address',
      ],
      'test/mcp/app.test.ts': [
        'a server behind the gateway cannot put a page of its own in place of the card',
      ],
    },
  },
}

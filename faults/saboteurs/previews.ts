import type { Saboteur } from './saboteur.ts'

const gate = { tests: ['test/gate/previews.test.ts'] } as const
const server = { tests: ['test/server/previews.test.ts'] } as const

/** What the program says its call would do, and the counters of past days. */
export const PREVIEW_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a preview is made again for a question that is there',
    file: 'src/gate/pipeline/ask.ts',
    before: 'preview !== undefined && !known && !(await joinedBy(core, request, options))',
    after: 'preview !== undefined',
    caughtBy: gate,
  },
  {
    name: 'a preview shows what the call hides',
    file: 'src/gate/pipeline/ask.ts',
    before: 'previewText(await make(), hiddenTexts(args, content.view?.masked ?? []))',
    after: 'previewText(await make(), hiddenTexts(args, []))',
    caughtBy: gate,
  },
  {
    name: 'a preview that takes too long is waited for',
    file: 'src/gate/preview/make-preview.ts',
    before: 'const timer = setTimeout(stop, within)',
    after: 'const timer = setTimeout(stop, within + 60_000)',
    caughtBy: gate,
  },
  {
    name: 'a preview may hold anything',
    file: 'src/base/preview/preview.ts',
    before: 'if (other !== undefined) throw invalid',
    after: "if (other === '') throw invalid",
    caughtBy: gate,
  },
  {
    name: 'a caller that gave up during its preview leaves a question behind',
    file: 'src/gate/pipeline/ask.ts',
    before: "if (isNew && options.signal?.aborted) return blocked('withdrawn', { tool })",
    after: '',
    caughtBy: gate,
  },
  {
    name: 'a preview that was changed in the database is shown',
    file: 'src/gate/preview/stored-preview.ts',
    before: "typeof text !== 'string' || (await previewDigest(text)) !== digest",
    after: "typeof text !== 'string'",
    caughtBy: server,
  },
  {
    name: 'a sender that makes previews asks before it made one',
    file: 'src/gate/pipeline/ask.ts',
    before: "if (isNew && preview === 'later') return { isUnasked: true }",
    after: '',
    caughtBy: server,
  },
  {
    name: 'the preview of an edited call passes for that of the new one',
    file: 'src/server/view/card.ts',
    before: 'const ofAsked = now === askedDigest ? {} : { ofAsked: true as const }',
    after: 'const ofAsked = now !== digest ? {} : { ofAsked: true as const }',
    caughtBy: server,
  },
  {
    name: 'a preview in a terminal writes lines of its own',
    file: 'src/cli/print/show-preview.ts',
    before: '...(summary === undefined ? [] : textLines(summary)),',
    after: '...(summary === undefined ? [] : [summary]),',
    caughtBy: { tests: ['src/cli/print/show-preview.test.ts'] },
  },
  {
    name: 'the sum of past days is not made anew when they change',
    file: 'src/store/statistics/blocks.ts',
    before: 'map((block) => mark(block, 0))',
    after: 'map((block) => mark(block, 1))',
    caughtBy: { tests: ['src/store/statistics/blocks.test.ts'] },
  },
]

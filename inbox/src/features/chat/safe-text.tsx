import { Fragment } from 'react'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { blocksOf, spansOf } from './text-blocks.ts'

/**
 * What a model wrote. Paragraphs and code are all there is: a link, an image or any other markup
 * stays the characters it is made of, so that nothing is loaded and nothing can be followed.
 */
export function SafeText({ text }: { text: string }) {
  return blocksOf(text).map((block, at) =>
    block.kind === 'code' ? (
      <pre
        key={at}
        className="rounded-md bg-sunken px-3 py-2 font-mono text-code wrap-anywhere whitespace-pre-wrap shadow-[inset_0_0_0_1px_var(--color-line)]"
      >
        {block.language !== '' && (
          <span className="mb-1 block font-sans text-xs text-ink-3">
            <UntrustedText text={block.language} />
          </span>
        )}
        <code>
          <Lines text={block.text} />
        </code>
      </pre>
    ) : (
      <p key={at} className="wrap-anywhere whitespace-pre-wrap">
        {spansOf(block.text).map(({ isCode, text: part }, place) =>
          isCode ? (
            <code key={place} className="rounded-xs bg-sunken px-1 py-px text-code">
              <UntrustedText text={part} />
            </code>
          ) : (
            <Lines key={place} text={part} />
          ),
        )}
      </p>
    ),
  )
}

/** Line ends are the text's own; everything else that cannot be seen is drawn. */
export function Lines({ text }: { text: string }) {
  return text.split('\n').map((line, at) => (
    <Fragment key={at}>
      {at > 0 && '\n'}
      <UntrustedText text={line} />
    </Fragment>
  ))
}

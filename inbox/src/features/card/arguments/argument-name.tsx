import { UntrustedText } from '../../../components/untrusted-text.tsx'

export const PAD = 'px-4 max-desk:px-3'

/** The name of an argument, over what it holds. */
export function Name({ text }: { text: string }) {
  return (
    <span data-name="" className="block text-xs leading-5 text-ink-3">
      <UntrustedText text={text} />
    </span>
  )
}

/** Colours of a round icon, by what it says. */
export const TONE_CLASSES: Readonly<Record<string, string>> = {
  plain: 'bg-sunken text-ink-2 shadow-[inset_0_0_0_1px_var(--color-frame)]',
  good: 'bg-good-soft text-good shadow-[inset_0_0_0_1px_var(--color-good-line)]',
  bad: 'bg-bad-soft text-bad shadow-[inset_0_0_0_1px_var(--color-bad-line)]',
  warn: 'bg-warn-soft text-warn shadow-[inset_0_0_0_1px_var(--color-warn-line)]',
  open: 'bg-open-soft text-open shadow-[inset_0_0_0_1px_var(--color-open-line)]',
  accent: 'bg-accent-soft text-accent shadow-[inset_0_0_0_1px_var(--color-accent-line)]',
}

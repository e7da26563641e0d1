/** What went wrong, where it cannot be missed. */
export function ErrorMessage({ text }: { text: string }) {
  if (text === '') return null
  return (
    <p role="alert" className="rounded-md bg-bad-soft px-3 py-1.5 text-bad">
      {text}
    </p>
  )
}

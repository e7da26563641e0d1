/** Two strokes: the signature, and the one that makes it count. */
export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      className="flex-none text-accent"
      aria-hidden="true"
    >
      <rect x="1" y="1" width="22" height="22" rx="6.5" fill="currentColor" />
      <g
        fill="none"
        className="stroke-canvas"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        <path d="M5.6 13.2l3 3 5.2-7.4" strokeOpacity=".55" />
        <path d="M10.2 13.2l3 3 5.2-7.4" />
      </g>
    </svg>
  )
}

// A plate with clipped corners, and the lens it was made with.
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path
        d="M7 3h18l4 4v18l-4 4H7l-4-4V7z"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.4"
        strokeLinejoin="round"
      />
      <circle cx="16" cy="16" r="6" fill="currentColor" />
    </svg>
  );
}

/** The logo: three book spines, as in the preloader and the favicon. */
export function LogoMark({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 48 48" fill="currentColor" aria-hidden="true" focusable="false">
      <rect x="6" y="8" width="9" height="30" rx="1.5" />
      <rect x="18" y="12" width="8" height="26" rx="1.5" />
      <rect x="30" y="9.5" width="9" height="30" rx="1.5" transform="rotate(-12 34 38)" />
      <rect x="4" y="40" width="40" height="2.5" rx="1.25" />
    </svg>
  )
}

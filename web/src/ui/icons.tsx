import type { ReactNode } from 'react'

/** Icons only repeat what words beside them say (or the control's name), so they are hidden from screen readers. */
function Icon({ size = 20, flips = false, children }: { size?: number; flips?: boolean; children: ReactNode }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      data-flips={flips || undefined}
    >
      {children}
    </svg>
  )
}

export const SearchIcon = () => (
  <Icon>
    <circle cx="11" cy="11" r="6.5" />
    <path d="m16 16 4.5 4.5" />
  </Icon>
)

export const SunIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4" />
  </Icon>
)

export const MoonIcon = () => (
  <Icon>
    <path d="M20 14.2A8.2 8.2 0 0 1 9.8 4a8.2 8.2 0 1 0 10.2 10.2Z" />
  </Icon>
)

export const HelpIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="9" />
    <path d="M9.5 9.3a2.6 2.6 0 1 1 3.8 2.4c-.8.4-1.3 1-1.3 1.8M12 16.8v.1" />
  </Icon>
)

export const PauseIcon = () => (
  <Icon>
    <path d="M9 6v12M15 6v12" />
  </Icon>
)

export const PlayIcon = () => (
  <Icon>
    <path d="M8 5.5v13l10.5-6.5L8 5.5Z" />
  </Icon>
)

export const CardIcon = () => (
  <Icon>
    <rect x="3" y="5" width="18" height="14" rx="2" />
    <path d="M7 15.5V9M10 15.5V9M12.5 15.5V9M15 15.5V9M17 15.5V9" />
  </Icon>
)

export const PlusIcon = () => (
  <Icon>
    <path d="M12 5v14M5 12h14" />
  </Icon>
)

export const BackIcon = () => (
  <Icon flips>
    <path d="M11 5.5 4.5 12l6.5 6.5M5 12h14.5" />
  </Icon>
)

/** The three spines of the preloader and the icon of the page. */
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

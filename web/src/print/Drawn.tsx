import type { Symbol } from './symbol'

type DrawnProps = { symbol: Symbol; label: string; className: string | undefined }

/** A black symbol for scanners; it needs a white background. */
export function Drawn({ symbol, label, className }: DrawnProps) {
  const { path, width, height } = symbol
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      shapeRendering="geometricPrecision"
      className={className}
      preserveAspectRatio="none"
    >
      <path d={path} fill="#000" />
    </svg>
  )
}

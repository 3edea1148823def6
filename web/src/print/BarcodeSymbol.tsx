import type { Symbol } from './symbol'

type BarcodeSymbolProps = { symbol: Symbol; label: string; className: string | undefined }

/** A black symbol for scanners; it needs a white background. */
export function BarcodeSymbol({ symbol, label, className }: BarcodeSymbolProps) {
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

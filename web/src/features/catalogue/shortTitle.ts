const MOST = 120

/** A title that fits a sentence or the name of a button, however long the book's is. */
export function shortTitle({ title }: { title: string }): string {
  const characters = Array.from(title)
  return characters.length > MOST ? `${characters.slice(0, MOST).join('').trimEnd()}…` : title
}

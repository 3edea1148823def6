import { expect, type Page } from '@playwright/test'

/** The product's name and the specification's words are the same in every language. */
const SAME = ['My Library', '404 Not Found']
/** The rules of a new library have a second category, whose name is data. */
const DATA = ['Staff']
/** Names of weekdays come from the browser. */
const WEEKDAYS = Array.from({ length: 7 }, (_, day) =>
  new Intl.DateTimeFormat('en-IN', { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + day)),
)

/** Returns words that are neither in the catalogue nor known; other data has `dir="auto"` or is a time. */
function notFromCatalogue(known: readonly string[]): string[] {
  const found: string[] = []
  const look = (text: string | null, where: Element | null) => {
    if (
      !where?.checkVisibility() ||
      where.closest('[lang]:not(html), [dir="auto"], time, textarea, script, style, datalist')
    )
      return
    // Parameters are beside the catalogue's words.
    if (text?.includes('⟦')) return
    const rest = known.reduce((words, one) => words.replaceAll(one, ''), text ?? '')
    if (/\p{L}/u.test(rest)) found.push(rest.trim())
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) look(walker.currentNode.textContent, walker.currentNode.parentElement)
  for (const name of ['placeholder', 'aria-roledescription', 'aria-valuetext']) {
    for (const element of document.querySelectorAll(`[${name}]`)) look(element.getAttribute(name), element)
  }
  for (const element of document.querySelectorAll('[aria-label], img[alt]')) {
    look(element.getAttribute('aria-label') ?? element.getAttribute('alt'), element)
  }
  return found
}

/** In a pseudo-script, every word on the page must be marked as the catalogue's. */
export async function expectOwnWords(page: Page, state: string): Promise<void> {
  const strange = () => page.evaluate(notFromCatalogue, [...SAME, ...DATA, ...WEEKDAYS])
  await expect.configure({ soft: true }).poll(strange, `words that come from no catalogue: ${state}`).toEqual([])
}

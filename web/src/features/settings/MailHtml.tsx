import { useEffect, useRef } from 'react'
import classes from './Wording.module.css'

/** Style attributes under another name: the page's policy drops them while HTML is parsed, but scripts may set styles. */
const LATER = 'data-style'

/** The HTML part of a mail, in a shadow tree, so that the styles of the page and of the mail do not mix. */
export function MailHtml({ html, language }: { html: string; language: string }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const shadow = host.current?.shadowRoot ?? host.current?.attachShadow({ mode: 'open' })
    if (!shadow) return
    const { page, rules } = partsOf(html)
    shadow.adoptedStyleSheets = [rules]
    shadow.replaceChildren(page)
  }, [html])
  return <div ref={host} lang={language} className={classes.mail} />
}

function partsOf(html: string): { page: HTMLElement; rules: CSSStyleSheet } {
  // Quotes in the mail's own text are escaped, so this replaces attributes only.
  const { body, head } = new DOMParser().parseFromString(
    html.replaceAll(' style="', ` ${LATER}="`).replace('<style>', '<template>').replace('</style>', '</template>'),
    'text/html',
  )
  // Made by a script: a style element would need the page's nonce.
  const rules = new CSSStyleSheet()
  rules.replaceSync(head.querySelector('template')?.content.textContent ?? '')
  const page = document.createElement('div')
  page.className = body.className
  page.append(...body.childNodes)
  page.style.cssText = body.getAttribute(LATER) ?? ''
  for (const part of page.querySelectorAll<HTMLElement>(`[${LATER}]`))
    part.style.cssText = part.getAttribute(LATER) ?? ''
  for (const link of page.querySelectorAll('a')) link.target = '_blank'
  return { page, rules }
}

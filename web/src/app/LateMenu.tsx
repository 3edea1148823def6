import { cloneElement, useRef, useState, type ComponentProps, type ReactElement, type ReactNode } from 'react'
import { Chunk } from '../lib/lazyChunk'
import { t } from '../lib/messages'
import { notify } from '../lib/notify'
import { useIdle } from './useIdle'

/** A menu's button, and whether the menu is open. */
export type MenuState = { target: ReactElement; opened: boolean; onChange: (opened: boolean) => void }

type LateMenuProps = {
  part: ComponentProps<typeof Chunk>['part']
  target: ReactElement<ComponentProps<'button'>>
  children: (menu: MenuState) => ReactNode
}

/**
 * Shows the button of a menu at once, and loads the menu when the browser is idle or the button is pressed: the code of
 * menus is a seventh of what a phone loads for the first screen.
 */
export function LateMenu({ part, target, children }: LateMenuProps) {
  const [opened, setOpened] = useState(false)
  const [wasPressed, setWasPressed] = useState(false)
  const isIdle = useIdle()
  const hadFocus = useRef(false)
  const early = (onClick: () => void) =>
    cloneElement(target, {
      'aria-haspopup': 'menu',
      'aria-expanded': false,
      'aria-busy': opened || undefined,
      onClick,
      // Each next button, at last that of the loaded menu, takes over the focus.
      ref: (button) => {
        if (hadFocus.current) button?.focus()
        return () => {
          hadFocus.current = button !== null && button === document.activeElement
        }
      },
    })
  const open = () => {
    setWasPressed(true)
    setOpened(true)
  }
  const late = cloneElement(target, {
    ref: (button) => {
      if (hadFocus.current) button?.focus()
      hadFocus.current = false
    },
  })
  if (!isIdle && !wasPressed) return early(open)
  return (
    <Chunk
      part={part}
      waiting={early(open)}
      failed={(retry) =>
        early(() => {
          retry()
          open()
        })
      }
      onFailed={() => {
        if (opened) notify.failure(t('common.unreachable'))
        setOpened(false)
      }}
    >
      {children({ target: late, opened, onChange: setOpened })}
    </Chunk>
  )
}

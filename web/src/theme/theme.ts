import { Anchor, Button, createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'
import { t } from '../lib/messages'

/** The accent colour. Shade 9 carries white text in both schemes; shade 3 is its readable form on the dark canvas. */
const teal: MantineColorsTuple = [
  '#eff8f6',
  '#d9eeeb',
  '#aedcd6',
  '#6cc0b6',
  '#45a99e',
  '#2b968b',
  '#1b8a7e',
  '#137a70',
  '#0f6d64',
  '#0c6159',
]

/** Slightly warm greys, like paper. */
const gray: MantineColorsTuple = [
  '#f8f6f3',
  '#f2efeb',
  '#e8e4de',
  '#dbd6cf',
  '#c6c0b7',
  '#a79f95',
  '#827a71',
  '#5f5851',
  '#45403a',
  '#26221e',
]

/** Dark greys, from text (0) to the canvas (7) and below. */
const dark: MantineColorsTuple = [
  '#ece7e0',
  '#c2bbb1',
  '#a39b91',
  '#6e6760',
  '#3f3a36',
  '#302c29',
  '#23201d',
  '#181614',
  '#131110',
  '#0e0d0c',
]

const SERIF = "'Source Serif 4', 'Iowan Old Style', Georgia, 'Noto Serif', 'Noto Serif Devanagari', serif"
const SANS =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, 'Nirmala UI', 'Noto Sans Devanagari', 'Noto Sans Arabic', 'Noto Sans CJK SC', sans-serif"

/** Created for each language, because it contains texts of Mantine's own components. */
export const themeIn = () =>
  createTheme({
    primaryColor: 'teal',
    primaryShade: { light: 9, dark: 8 },
    colors: { teal, gray, dark },
    white: '#ffffff',
    black: '#26221e',
    fontFamily: SANS,
    headings: {
      fontFamily: SERIF,
      fontWeight: '600',
      textWrap: 'balance',
      sizes: {
        h1: { fontSize: '1.75rem', lineHeight: '2.25rem' },
        h2: { fontSize: '1.25rem', lineHeight: '1.75rem' },
        h3: { fontSize: '1rem', lineHeight: '1.5rem' },
      },
    },
    fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '1rem', lg: '1.25rem', xl: '1.75rem' },
    lineHeights: { xs: '1.3334', sm: '1.4286', md: '1.5', lg: '1.4', xl: '1.2858' },
    spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2.5rem' },
    radius: { xs: '2px', sm: '4px', md: '8px', lg: '12px', xl: '16px' },
    defaultRadius: 'md',
    cursorType: 'pointer',
    focusRing: 'auto',
    respectReducedMotion: true,
    components: {
      Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
      Badge: { defaultProps: { tt: 'none', fw: 500, variant: 'light', radius: 'sm' } },
      Button: Button.extend({ defaultProps: { fw: 500 } }),
      CloseButton: { defaultProps: { 'aria-label': t('common.close') } },
      Input: { defaultProps: { size: 'md' } },
      TextInput: { defaultProps: { size: 'md' } },
      PasswordInput: {
        defaultProps: {
          size: 'md',
          // By default Mantine leaves the button out of the tab order.
          visibilityToggleFocusable: true,
          visibilityToggleButtonProps: { 'aria-label': t('common.showPassword') },
        },
      },
      NumberInput: { defaultProps: { size: 'md' } },
      NativeSelect: { defaultProps: { size: 'md' } },
      Textarea: { defaultProps: { size: 'md' } },
      Modal: {
        defaultProps: {
          centered: true,
          overlayProps: { backgroundOpacity: 0.45 },
          transitionProps: { transition: 'fade', duration: 150 },
          closeButtonProps: { 'aria-label': t('common.close') },
        },
      },
      // A dialog's title bar must not be a banner landmark.
      ModalHeader: { defaultProps: { role: 'presentation' } },
      Notification: { defaultProps: { closeButtonProps: { 'aria-label': t('common.close') }, withBorder: true } },
      Table: { defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md' } },
      Tooltip: { defaultProps: { openDelay: 400, withArrow: true } },
    },
  })

/** Colours with AA contrast; Mantine's palette misses it in many places. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    '--library-serif': SERIF,
    '--library-gutter': 'clamp(1rem, 3vw, 2.5rem)',
    '--library-bar': '61px',
    '--library-width': '1440px',
  },
  light: {
    '--mantine-color-body': '#fbfaf8',
    '--mantine-color-text': gray[9],
    '--mantine-color-dimmed': gray[7],
    '--mantine-color-placeholder': '#6b645c',
    '--mantine-color-anchor': teal[9],
    '--mantine-color-error': '#b3261e',
    '--mantine-color-default': '#ffffff',
    '--mantine-color-default-border': gray[4],
    '--mantine-color-default-hover': gray[1],
    '--mantine-color-teal-light': teal[1],
    '--mantine-color-teal-light-hover': teal[2],
    '--mantine-color-teal-light-color': '#0a544d',
    '--mantine-color-teal-outline': teal[9],
    '--mantine-color-gray-light': gray[2],
    '--mantine-color-gray-light-hover': gray[3],
    '--mantine-color-gray-light-color': gray[8],
    '--mantine-color-red-light': '#fbe9e7',
    '--mantine-color-red-light-hover': '#f7d9d6',
    '--mantine-color-red-light-color': '#9c1c16',
    '--mantine-color-yellow-light': '#fbefd0',
    '--mantine-color-yellow-light-color': '#644400',
    '--mantine-color-blue-light': '#e3edf8',
    '--mantine-color-blue-light-color': '#17487c',
    '--mantine-color-red-filled': '#b3261e',
    '--mantine-color-red-filled-hover': '#9c1c16',
    '--mantine-color-red-outline': '#b3261e',
    '--library-field-border': '#918980',
    '--library-surface': '#ffffff',
    '--library-hairline': gray[2],
    '--library-star': '#966300',
    '--library-star-empty': gray[4],
    '--library-skeleton': gray[2],
  },
  dark: {
    '--mantine-color-body': dark[7],
    '--mantine-color-text': dark[0],
    '--mantine-color-dimmed': dark[1],
    '--mantine-color-placeholder': dark[2],
    '--mantine-color-anchor': teal[3],
    '--mantine-color-error': '#f2938b',
    '--mantine-color-default': dark[6],
    '--mantine-color-default-border': '#4d4742',
    '--mantine-color-default-hover': dark[5],
    '--mantine-color-teal-light': '#17332f',
    '--mantine-color-teal-light-hover': '#1d403b',
    '--mantine-color-teal-light-color': teal[2],
    '--mantine-color-teal-outline': teal[3],
    '--mantine-color-gray-light': dark[5],
    '--mantine-color-gray-light-hover': dark[4],
    '--mantine-color-gray-light-color': dark[1],
    '--mantine-color-red-light': '#3a1d1a',
    '--mantine-color-red-light-hover': '#482420',
    '--mantine-color-red-light-color': '#f5b0a9',
    '--mantine-color-yellow-light': '#382d14',
    '--mantine-color-yellow-light-color': '#f2d492',
    '--mantine-color-blue-light': '#1b2b3d',
    '--mantine-color-blue-light-color': '#abcdf2',
    '--mantine-color-red-filled': '#a8322a',
    '--mantine-color-red-filled-hover': '#b93d34',
    '--mantine-color-red-outline': '#f2938b',
    '--library-field-border': '#777067',
    '--library-surface': dark[6],
    '--library-hairline': dark[5],
    '--library-star': '#e0b04f',
    '--library-star-empty': '#575049',
    '--library-skeleton': dark[5],
  },
})

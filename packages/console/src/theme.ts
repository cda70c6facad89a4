import {
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  type MantineThemeOverride,
  mergeThemeOverrides,
} from '@mantine/core'

/** The colours of the documentation pages: a dark teal, and neutrals with a trace of green. */
const brand: MantineColorsTuple = [
  '#e7f3f4',
  '#cfe5e8',
  '#a3cdd4',
  '#74b4bf',
  '#4a9dab',
  '#2c8b9b',
  '#167d8e',
  '#0b6a7c',
  '#0b5f70',
  '#084c5a',
]
const dark: MantineColorsTuple = [
  '#e8e6df',
  '#c5cbc8',
  '#a5aeac',
  '#7b8785',
  '#33403f',
  '#263130',
  '#1b2423',
  '#131918',
  '#0d1211',
  '#080c0b',
]

/** White text on the shades of buttons (6 and 8) has a contrast of at least 4.5, which Mantine's own lack. */
const orange: MantineColorsTuple = [
  '#fff4e6',
  '#ffe8cc',
  '#ffd8a8',
  '#ffc078',
  '#ffa94d',
  '#ff922b',
  '#c4500a',
  '#bc4a0a',
  '#b4460a',
  '#9a3a06',
]
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#ff6b6b',
  '#d03030',
  '#c72b2b',
  '#bd2626',
  '#a61e1e',
]

const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: { light: 8, dark: 6 },
  autoContrast: true,
  colors: { brand, dark, orange, red },
  fontFamily: 'var(--console-sans)',
  fontFamilyMonospace: 'var(--console-mono)',
  headings: {
    fontWeight: '600',
    fontFamily: 'var(--console-sans)',
    sizes: { h1: { fontSize: '22px' }, h2: { fontSize: '16px' }, h3: { fontSize: '18px' } },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { size: 'xs' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none' } },
    Tooltip: { defaultProps: { openDelay: 300 } },
  },
})

/** Returns the theme in which a dialog and a notification name the button that closes them. */
export function toTheme(close: string): MantineThemeOverride {
  const closeButtonProps = { 'aria-label': close }
  return mergeThemeOverrides(theme, {
    components: {
      Modal: { defaultProps: { centered: true, radius: 'md', closeButtonProps } },
      Notification: { defaultProps: { closeButtonProps } },
    },
  })
}

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-green-light-color': '#1b6630',
    '--mantine-color-orange-light-color': '#9a3a06',
    '--mantine-color-red-light-color': '#a61e1e',
    '--mantine-color-blue-light-color': '#11538f',
    '--mantine-color-gray-light-color': '#454d4c',
    '--console-panel': '#f7f6f2',
    '--console-line': '#e5e1d8',
    '--console-active': '#dfecee',
    '--console-active-text': '#084c5a',
    '--mantine-color-dimmed': '#5a6665',
  },
  dark: {
    '--mantine-color-body': '#131918',
    '--console-panel': '#171f1e',
    '--console-line': '#2a3534',
    '--console-active': '#1b3438',
    '--console-active-text': '#cfe5e8',
    '--mantine-color-dimmed': '#a5aeac',
  },
})

import { useLocalStorage } from '@mantine/hooks'

/**
 * Returns whether keys without ⌘ or Ctrl are shortcuts, and the function that sets it. Who speaks to the browser presses
 * them by accident and turns them off (WCAG 2.1.4). It is kept in this browser.
 */
export function useSingleKeys() {
  return useLocalStorage({
    key: 'trade-gateway.single-keys',
    defaultValue: true,
    getInitialValueInEffect: false,
  })
}

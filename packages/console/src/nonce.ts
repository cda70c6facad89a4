/**
 * The nonce with which the console may add style elements: Mantine does so for its theme, and react-remove-scroll while
 * a dialog is open. The gateway writes a new one into each response.
 */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''

/** What react-remove-scroll reads its nonce from. */
Object.assign(globalThis, { __webpack_nonce__: styleNonce })

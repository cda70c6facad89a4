/**
 * The version of the API that clients rely on, as in the table of docs/en/versioning.md. It changes when the contract
 * grows and is independent of the versions of the packages.
 */
export const apiVersion = '1.4.0'

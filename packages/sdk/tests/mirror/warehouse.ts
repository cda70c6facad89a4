/** The warehouse that the tests of the mirror copy. */
export const warehouse = 'AUSYD1'

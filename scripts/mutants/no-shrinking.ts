/**
 * Ends a property at its first failure, without a search for a smaller one: whether a mutant is killed is then known, and
 * a search without an awaited step cannot be ended by a test's timeout.
 */
import fc from 'fast-check'

fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })

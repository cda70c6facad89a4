import { eraseEndpointTypes } from '../endpoint.ts'
import { feedbackCreate } from './feedback/endpoints.ts'
import { visitorToken } from './visitors/endpoints.ts'

/** The endpoints that the pages themselves call. They are outside the contract. */
export const pageEndpoints = [eraseEndpointTypes(feedbackCreate), eraseEndpointTypes(visitorToken)]

import { type Erp, rejected } from '@trade-gateway/connector'

type OrderOperation =
  | 'quote'
  | 'hold'
  | 'release'
  | 'submit'
  | 'void'
  | 'lookup'
  | 'settle'
  | 'documents.changed'
  | 'documents.read'

const refuse = async () => rejected('not_supported', 'This connector takes no orders yet.')

/**
 * The orders. Replace all operations but `hold`, `release` and `settle` together: the gateway requires them for an
 * order. Those three follow with the capabilities `holds` and `settles`.
 */
export const takeOrders: Pick<Erp, OrderOperation> = {
  quote: refuse,
  hold: refuse,
  release: refuse,
  submit: refuse,
  void: refuse,
  lookup: refuse,
  settle: refuse,
  'documents.changed': refuse,
  'documents.read': refuse,
}

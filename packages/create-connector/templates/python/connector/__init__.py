"""A connector between Trade Gateway and an ERP."""

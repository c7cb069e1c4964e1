"""The contract: its rules, what breaks them, and values that cannot (specification section 2)."""

#: The `$id` of the published contract schema.
CONTRACT_URL = "https://qzx.yumbale.com/schemas/result-contract-v1.schema.json"
#: The `$id` of the published receipt schema.
RECEIPT_URL = "https://qzx.yumbale.com/schemas/result-contract-conformance-receipt-v1.schema.json"

#: The severities of a finding: one makes a document not conform, the other changes no verdict.
VIOLATION, WARNING = "violation", "warning"

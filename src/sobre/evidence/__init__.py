"""Evidence: files read once, judged, and bound into a receipt (specification section 5)."""

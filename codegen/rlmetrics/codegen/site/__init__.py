"""The pages of the documentation that are made from the spec, by way of its resolved meanings."""

"""What the API takes and returns where no domain type has that shape. The OpenAPI document is generated from these types."""

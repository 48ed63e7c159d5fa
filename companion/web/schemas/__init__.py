"""What the API takes and answers, as types that the OpenAPI document is made of."""

"""The types of the API's bodies and answers, from which the OpenAPI document is made."""

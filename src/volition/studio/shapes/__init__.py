"""The shapes of what the studio's API takes and gives: closed msgspec types, from which its OpenAPI document is made."""

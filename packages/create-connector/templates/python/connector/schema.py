"""Checks input with the schemas of `connector-openapi.json`, the published description of the protocol.

Only the words of JSON Schema that the document uses are known; `load_inputs` refuses a document with others.
"""

import json
import re
from pathlib import Path

DOCUMENT = Path(__file__).with_name("connector-openapi.json")

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}
KNOWN = {
    "type", "properties", "required", "items", "anyOf", "oneOf", "enum", "const", "pattern", "additionalProperties",
    "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems",
}  # fmt: skip
# Words that check nothing here. A date has a pattern beside its format.
SILENT = {"$schema", "$id", "format", "title", "description", "default", "examples", "example"}


class Invalid(Exception):
    """Input that does not match its schema: where, and why."""


def load_inputs():
    """Returns the schema of each operation's input by the id of the operation."""
    document = json.loads(DOCUMENT.read_text("utf-8"))
    return {
        path[1:]: resolve(document, methods["post"]["requestBody"]["content"]["application/json"]["schema"])
        for path, methods in document["paths"].items()
    }


def resolve(document, schema):
    """Returns a schema with the references to other places of the document replaced by what is there."""
    if "$ref" in schema:
        target = document
        for name in schema["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        return resolve(document, target)
    unknown = schema.keys() - KNOWN - SILENT
    if unknown:
        raise ValueError(f"{DOCUMENT.name} uses words that this connector does not check: {sorted(unknown)}.")
    result = dict(schema)
    for word in ("anyOf", "oneOf"):
        if word in schema:
            result[word] = [resolve(document, one) for one in schema[word]]
    if "items" in schema:
        result["items"] = resolve(document, schema["items"])
    if "properties" in schema:
        result["properties"] = {name: resolve(document, one) for name, one in schema["properties"].items()}
    return result


def check(schema, value, path="input"):
    """Raises `Invalid` if the value does not match the schema."""
    check_type(schema, value, path)
    if "enum" in schema and value not in schema["enum"]:
        raise Invalid(f"{path} must be one of {', '.join(map(str, schema['enum']))}.")
    if "const" in schema and value != schema["const"]:
        raise Invalid(f"{path} must be {schema['const']}.")
    for word in ("anyOf", "oneOf"):
        if word in schema and not any(matches(one, value, path) for one in schema[word]):
            raise Invalid(f"{path} has none of the allowed forms.")
    if isinstance(value, str):
        check_text(schema, value, path)
    elif isinstance(value, list):
        check_size(len(value), schema.get("minItems"), schema.get("maxItems"), f"The number of items of {path}")
        for index, item in enumerate(value):
            check(schema.get("items", {}), item, f"{path}[{index}]")
    elif isinstance(value, dict):
        check_members(schema, value, path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        check_size(value, schema.get("minimum"), schema.get("maximum"), path)


def matches(schema, value, path):
    try:
        check(schema, value, path)
    except Invalid:
        return False
    return True


def check_type(schema, value, path):
    if "type" not in schema:
        return
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    # In Python, True is an integer.
    fits = any(
        isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool)) for name in names
    )
    if not fits:
        raise Invalid(f"{path} must be of the type {' or '.join(names)}.")


def check_text(schema, value, path):
    check_size(len(value), schema.get("minLength"), schema.get("maxLength"), f"The length of {path}")
    # All patterns of the document are anchored. `$` alone would allow a line feed at the end.
    if "pattern" in schema and not re.fullmatch(schema["pattern"], value, re.ASCII):
        raise Invalid(f"{path} does not match {schema['pattern'][:60]}.")


def check_members(schema, value, path):
    missing = [name for name in schema.get("required", []) if name not in value]
    if missing:
        raise Invalid(f"{path} lacks {', '.join(missing)}.")
    known = schema.get("properties", {})
    for name, member in value.items():
        if name in known:
            check(known[name], member, f"{path}.{name}")


def check_size(size, least, most, what):
    if least is not None and size < least:
        raise Invalid(f"{what} must be at least {least}.")
    if most is not None and size > most:
        raise Invalid(f"{what} must be at most {most}.")

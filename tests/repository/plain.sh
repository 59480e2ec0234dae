#!/bin/sh
# What an installation without extras does, in an empty folder. BIN is the folder of its `mew` and `python`.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$BIN/mew" --help | grep -q "Needs the"
for group in fluxi flows demo; do
    status=0
    said=$("$BIN/mew" "$group" 2>&1) || status=$?
    test "$status" = 2
    echo "$said" | grep -q "mew $group needs the extra agents: pip install 'mew-gateway\[agents\]'"
done

cat > spaces.yaml <<'YAML'
gateway: {listen: "127.0.0.1:0", state_dir: state}
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: "*"}, {kind: reasoning/interrupt}]}
      echo: {roles: [agent], agent: "mew_agents.echo:Echo"}
      calculator: {roles: [agent], agent: "mew_agents.calculator:Calculator"}
YAML
status=0
said=$("$BIN/mew" check 2>&1) || status=$?
test "$status" = 2
echo "$said" | grep -q "It comes with an extra: pip install 'mew-gateway\[agents\]'"

sed -i '/calculator/d' spaces.yaml
"$BIN/mew" check > /dev/null 2>&1
"$BIN/mew" serve > log 2>&1 &
trap '"$BIN/mew" stop > /dev/null 2>&1 || true; wait; rm -rf "$folder"' EXIT
for _ in $(seq 600); do
    "$BIN/mew" participants --json 2> /dev/null | grep -q '"id": *"echo"' && break
    sleep 0.1
done
"$BIN/mew" send --to echo hello --wait 60 --as human | grep -q hello
"$BIN/python" -c 'import importlib.util as find; assert not find.find_spec("sqlalchemy") and not find.find_spec("babel")'
echo "The plain installation works."

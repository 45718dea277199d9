#!/bin/sh
# Prints "## Dependencies": what every package.json declares, and what its package-lock.json or node_modules holds.
set -eu
. "$TEAMS_PLAN_DIR/audit/lib.sh"

echo '## Dependencies'
echo
files | node "$here/dependencies.mjs"

#!/usr/bin/env bash
# Writes tests/golden/*.json anew from what the experiments find now, and tests/golden/answers from
# what direction, discover and changes find. Review the difference.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

scripts/setup.sh build test
scripts/build.sh dev golden_tests
WHENCE_REGENERATE_GOLDEN=1 build/dev/tests/golden_tests --gtest_brief=1
git --no-pager diff --stat -- tests/golden

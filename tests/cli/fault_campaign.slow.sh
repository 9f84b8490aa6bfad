#!/usr/bin/env bash
# A short fault campaign; scripts/fault_campaign.py has the long one.
source "$WHENCE_SOURCE/tests/cli/lib.bash"
checks=1
# What is loaded in front of the C library does not go together with sanitizers.
calls=4
ldd "$WHENCE" | grep -Eq 'lib(a|t)san' && calls=-1
python3 "$WHENCE_SOURCE/scripts/fault_campaign.py" --whence "$WHENCE" --kills 45 --calls "$calls" --flips 39 --runs 6 ||
  fail 'something crashed, hung, was lost or changed silently'
finish

#!/usr/bin/env bash
# Proves both commands on a bare machine: debootstraps a minimal system, clones HEAD into it and
# runs ./whence demo and ./test.sh there. Needs root; the sources of apt must be reachable.
#   scripts/prove_bare.sh [--suite NAME] [--mirror URL] [FOLDER]     (default: build/bare-root)
set -euo pipefail
repository=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/..
cd "$repository"

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=
while [[ ${1-} == --* ]]; do
  case $1 in
    --suite) suite=$2 ;;
    --mirror) mirror=$2 ;;
    *) echo "prove_bare.sh: unknown option '$1'" >&2; exit 2 ;;
  esac
  shift 2
done
root=$(realpath -m "${1:-build/bare-root}")

if ((EUID != 0)); then
  echo "prove_bare.sh: debootstrap and chroot need root" >&2
  exit 5
fi

# Mounts and processes of the bare machine live in namespaces of their own and end with them.
if [[ -z ${WHENCE_IN_NAMESPACE-} ]]; then
  scripts/setup.sh prove
  WHENCE_IN_NAMESPACE=1 exec unshare --mount --pid --fork --kill-child \
    "$0" --suite "$suite" --mirror "$mirror" "$root"
fi

# Where this machine's own apt finds the suite.
if [[ -z $mirror ]]; then
  mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
    awk -v suite="$suite" '$1 == suite { print $2; exit }')
fi
if [[ -z $mirror ]]; then
  echo "prove_bare.sh: apt knows no source of '$suite' (apt-get update?); give one by --mirror" >&2
  exit 5
fi

# Only ever delete what an earlier run has made.
if [[ -e $root && ! -e $root/.whence-bare-root ]]; then
  echo "prove_bare.sh: $root exists and was not made by this script" >&2
  exit 5
fi
rm -rf --one-file-system "$root"
mkdir -p "$root"
touch "$root/.whence-bare-root"

echo "== debootstrap $suite"
components=main
recipe=sid # for suites younger than this debootstrap
if [[ $mirror == *ubuntu* ]]; then components=main,universe recipe=gutsy; fi
if [[ -e /usr/share/debootstrap/scripts/$suite ]]; then recipe=$suite; fi
debootstrap --variant=minbase --components="$components" "$suite" "$root" "$mirror" \
  "/usr/share/debootstrap/scripts/$recipe" \
  >"$root.debootstrap.log" 2>&1 || { tail "$root.debootstrap.log"; exit 1; }

# The bare machine reaches the network the way this one does.
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
apt-config dump | grep -iE '^Acquire::.*(proxy|check-valid-until)' >"$root/etc/apt/apt.conf.d/99host" || true
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
git clone --quiet --no-hardlinks . "$root/opt/whence"

in_bare_machine() {
  chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    bash -c "cd /opt/whence && $1"
}

result=0
prove() {
  local name=$1 expected=$2 command=$3 status=0 begin=$EPOCHREALTIME verdict=PASS
  echo "== $command"
  in_bare_machine "$command" >"$root.log" 2>&1 || status=$?
  if ((status != expected)); then verdict=FAIL result=1; fi
  tail -n 15 "$root.log"
  awk -v b="$begin" -v e="$EPOCHREALTIME" -v v="$verdict" -v n="$name" -v s="$status" \
    'BEGIN { printf "%s  %s (exit %d, %.1f s)\n", v, n, s, e - b }'
}

prove "without root: says what to ask for" 5 \
  "chown -R nobody . && setpriv --reuid=nobody --clear-groups ./whence demo; s=\$?; chown -R root .; exit \$s"
prove "./whence demo" 0 "./whence demo"
prove "./whence demo, again" 0 "./whence demo"
prove "./test.sh" 0 "./test.sh"
exit "$result"

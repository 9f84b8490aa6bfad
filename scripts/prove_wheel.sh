#!/usr/bin/env bash
# Proves that a wheel runs on a machine without the build packages: debootstraps a minimal system with
# python3 and pip and nothing else, installs the wheel there without a network, and runs it.
#   scripts/prove_wheel.sh [--suite NAME] [--mirror URL] [WHEEL]     (default: pip makes one)
# Needs root, and the sources of apt; numpy is fetched by this machine's pip.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=
while [[ ${1-} == --* ]]; do
  case $1 in
    --suite) suite=$2 ;;
    --mirror) mirror=$2 ;;
    *) echo "prove_wheel.sh: unknown option '$1'" >&2; exit 2 ;;
  esac
  shift 2
done
wheel=${1-}
root=$PWD/build/bare-python

if ((EUID != 0)); then
  echo "prove_wheel.sh: debootstrap and chroot need root" >&2
  exit 5
fi
scripts/setup.sh build test prove
python=build/venv/bin/python
if [[ -z $wheel ]]; then
  "$python" -m pip wheel --quiet --no-deps -w build/wheels .
  wheel=$(ls -t build/wheels/whence-*.whl | head -n 1)
fi
if [[ -z $mirror ]]; then
  mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
    awk -v suite="$suite" '$1 == suite { print $2; exit }')
fi

# Only ever delete what an earlier run has made.
if [[ -e $root && ! -e $root/.whence-bare-root ]]; then
  echo "prove_wheel.sh: $root exists and was not made by this script" >&2
  exit 5
fi
rm -rf --one-file-system "$root"
mkdir -p "$root"
touch "$root/.whence-bare-root"
echo "== debootstrap $suite with python3 and pip"
debootstrap --variant=minbase --include=python3,python3-pip "$suite" "$root" "$mirror" \
  >"$root.debootstrap.log" 2>&1 || { tail "$root.debootstrap.log"; exit 1; }

version=$(chroot "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
mkdir -p "$root/wheels"
cp "$wheel" "$root/wheels/"
"$python" -m pip download --quiet --only-binary :all: --python-version "$version" \
  -d "$root/wheels" 'numpy>=1.22' pandas networkx

echo "== install and run"
cat >"$root/wheels/try.py" <<'END'
import whence

world = whence.simulate_graph("chain3", rows=100, seed=1)
found = whence.discover(world.data, environment="environment", baseline="baseline")
print(found)
assert set(found.graph.edges) == {("X0", "X1"), ("X1", "X2")}
found.report("/tmp/out")
END
chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 bash -c "
  set -e
  pip install --quiet --no-index --find-links /wheels --root-user-action=ignore --no-warn-script-location \
    \$(pip install --help | grep -q break-system-packages && echo --break-system-packages) \
    whence pandas networkx
  dpkg-query -W -f '\${Package}\n' | grep -E 'libfmt|libhwy|libzip|g\+\+|cmake' && exit 1
  python3 /wheels/try.py"
echo "PASS  $(basename "$wheel") on $suite with Python $version"

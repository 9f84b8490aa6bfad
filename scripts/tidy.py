#!/usr/bin/env python3
"""clang-tidy over src and apps, which can be interrupted and goes on where it ended.

    scripts/tidy.py [--jobs N] [--minutes M] [--build DIR] [FILE...]

What was found in a file is kept under build/tidy, by a hash of all that it depends on: the file, the
project's headers that it includes, its flags, .clang-tidy and the version of clang-tidy. A file is
looked at again only when one of these has changed. Prints each finding once, and how far it came.
Exit status: 0 clean, 1 findings, 3 time was up before all files were looked at.
"""
import argparse, concurrent.futures, hashlib, json, os, re, subprocess, sys, time

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.M)
FINDING = re.compile(r': (warning|error): ')


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--minutes', type=float, default=float('inf'), help='begin no file after so long')
    parser.add_argument('--build', default='build/dev', help='a configured build, for its flags')
    parser.add_argument('files', nargs='*', help='these alone')
    return parser.parse_args()


def read(path):
    with open(path, 'rb') as file:
        return file.read()


class Included:
    """Which of the project's files each file includes, itself among them."""

    def __init__(self):
        self.direct = {}

    def of(self, path):
        seen, open_ = set(), [path]
        while open_:
            file = open_.pop()
            if file in seen:
                continue
            seen.add(file)
            open_ += self.named_in(file)
        return sorted(seen)

    def named_in(self, path):
        if path not in self.direct:
            names = [name.decode() for name in INCLUDE.findall(read(path))]
            places = [os.path.dirname(path), os.path.join(root, 'src'), root]
            self.direct[path] = [os.path.normpath(os.path.join(place, name)) for name in names
                                 for place in places if os.path.isfile(os.path.join(place, name))]
        return self.direct[path]


def key_of(entry, included, common):
    total = hashlib.sha256(common)
    total.update(' '.join(entry.get('arguments', [])).encode() + entry.get('command', '').encode())
    for path in included.of(entry['file']):
        total.update(os.path.relpath(path, root).encode() + b'\0' + hashlib.sha256(read(path)).digest())
    return total.hexdigest()


def look(entry, build, stamp):
    """What clang-tidy says of one file, without colours; kept once it is known."""
    ran = subprocess.run(['clang-tidy', '-quiet', '-p', build, entry['file']], cwd=root,
                         capture_output=True, text=True, errors='replace')
    text = re.sub(r'\x1b\[[0-9;]*m', '', ran.stdout)
    lines = [line for line in text.splitlines() if FINDING.search(line)]
    if ran.returncode not in (0, 1):  # it did not get to its end
        return [entry['file'] + ': error: clang-tidy ended with %d' % ran.returncode]
    with open(stamp + '.new', 'w') as file:
        json.dump(lines, file)
    os.replace(stamp + '.new', stamp)
    return lines


def main():
    given = arguments()
    build = os.path.join(root, given.build)
    wanted = {os.path.abspath(name) for name in given.files}
    entries = {}
    for entry in json.loads(read(os.path.join(build, 'compile_commands.json'))):
        entry['file'] = os.path.normpath(os.path.join(entry['directory'], entry['file']))
        inside = entry['file'].startswith((root + '/src/', root + '/apps/'))
        if entry['file'] in wanted or (inside and not wanted):
            entries[entry['file']] = entry
    kept = os.path.join(root, 'build', 'tidy')
    os.makedirs(kept, exist_ok=True)
    version = subprocess.run(['clang-tidy', '--version'], capture_output=True, check=True).stdout
    common, included = version + read(os.path.join(root, '.clang-tidy')), Included()
    findings, open_ = set(), []
    for entry in entries.values():
        stamp = os.path.join(kept, key_of(entry, included, common) + '.json')
        if os.path.isfile(stamp):
            findings.update(json.loads(read(stamp)))
        else:
            open_.append((entry, stamp))
    end = time.monotonic() + 60 * given.minutes
    done = len(entries) - len(open_)
    with concurrent.futures.ThreadPoolExecutor(max(1, given.jobs)) as pool:
        work = lambda one: look(one[0], build, one[1]) if time.monotonic() < end else None
        for lines in pool.map(work, open_):
            done += lines is not None
            findings.update(lines or [])
    for line in sorted(findings):
        print(os.path.relpath(line, root) if line.startswith(root) else line)
    print('%d of %d files looked at, %d findings' % (done, len(entries), len(findings)))
    return 1 if findings else 0 if done == len(entries) else 3


if __name__ == '__main__':
    sys.exit(main())

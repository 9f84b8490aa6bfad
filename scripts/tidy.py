#!/usr/bin/env python3
"""clang-tidy over src and apps, which can be interrupted and goes on where it ended.

    scripts/tidy.py [--jobs N] [--minutes M] [--build DIR] [--together N] [FILE...]

Most of its time goes to the standard headers that every file includes, so up to --together files of a
room are looked at as one. Files whose anonymous namespaces share a name are kept apart, and files that
do not compile together are looked at one by one.

What was found is kept under build/tidy, by a hash of all that it depends on: the files, the project's
headers that they include, their flags, .clang-tidy, the version of clang-tidy and this script. They
are looked at again only when one of these has changed. Prints each finding once, and how far it came.
Exit status: 0 clean, 1 findings, 3 time was up before all files were looked at.
"""
import argparse, concurrent.futures, hashlib, json, os, re, shlex, subprocess, sys, time

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.M)
FINDING = re.compile(r': (warning|error): ')
WORDS_BEFORE_BRACES = {'if', 'for', 'while', 'switch', 'catch', 'return', 'operator', 'const', 'noexcept'}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--minutes', type=float, default=float('inf'), help='begin no file after so long')
    parser.add_argument('--build', default='build/dev', help='a configured build, for its flags')
    parser.add_argument('--together', type=int, default=12, help='so many files as one (1: each alone)')
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


def names_of_its_own(path):
    """What a file declares in anonymous namespaces, and a little more: names that might clash."""
    text = re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', '""',
                  read(path).decode(), flags=re.S)
    names, depth, inside = set(re.findall(r'^\s*#\s*define\s+(\w+)', text, re.M)), 0, None
    for head, mark in re.findall(r'([^{};]*)([{};])', text):
        if inside == depth:
            function = re.search(r'(\w+\s*\(.*\))', head, re.S)  # those of one name may differ in what they take
            if function and mark == '{':
                names.add(re.sub(r'\b(?!const\b)\w+(?=\s*[,)])|\s+', ' ', function.group(1)))
            else:
                names.update(re.findall(r'(\w+)\s*(?:=|\[|$)', head))
            names.update(re.findall(r'\b(?:struct|class|enum|union)\s+(\w+)', head))
            names.update(re.findall(r'\busing\s+(\w+)\s*=', head))
        if mark == '{':
            depth += 1
            if inside is None and re.search(r'\bnamespace\s*$', head):
                inside = depth
        elif mark == '}':
            inside = None if inside == depth else inside
            depth -= 1
    return names - WORDS_BEFORE_BRACES


def flags_of(entry):
    """A command without its compiler and what names this one file."""
    words = entry.get('arguments') or shlex.split(entry['command'])
    kept, skip = [], True
    for word in words:
        if skip or word in ('-o', '-c', '-MF', '-MT'):
            skip = not skip
        elif not word.startswith('-W') and word not in ('-MD', '-MMD') \
                and os.path.join(entry['directory'], word) != entry['file']:
            kept.append(word)
    return kept + ['-w']  # warnings are the compiler's business, and files that are looked at as one have others


def groups_of(entries, most):
    """Files of one room with the same flags, in their order, none of which shares a name with another."""
    groups = {}
    for entry in sorted(entries, key=lambda one: one['file']):
        own = names_of_its_own(entry['file']) if most > 1 else set()
        open_ = groups.setdefault((*os.path.relpath(os.path.dirname(entry['file']), root).split('/')[:3], *flags_of(entry)), [])
        for files, taken in open_:
            if len(files) < most and not own & taken:
                files.append(entry)
                taken |= own
                break
        else:
            open_.append(([entry], set(own)))
    return [files for open_ in groups.values() for files, taken in open_]


def ran_on(path, flags):
    """The findings, without colours and double spaces; None where it did not get to its end."""
    ran = subprocess.run(['clang-tidy', '-quiet', path, '--'] + flags, cwd=root, capture_output=True,
                         text=True, errors='replace')
    text = re.sub(r'\x1b\[[0-9;]*m', '', ran.stdout)
    return [line for line in text.splitlines() if FINDING.search(line)] if ran.returncode in (0, 1) else None


def said_of(files, stamp):
    """The findings in files that are looked at as one; those that stand in the way are looked at alone."""
    if len(files) == 1:
        return ran_on(files[0]['file'], flags_of(files[0]))
    one = stamp + '.cpp'
    with open(one, 'w') as file:
        file.writelines('#include "%s"  // NOLINT\n' % entry['file'] for entry in files)
    lines = ran_on(one, flags_of(files[0]))
    os.remove(one)
    broken = [line for line in lines or [] if '[clang-diagnostic-error' in line]
    if lines is not None and not broken:
        return lines
    apart = [entry for entry in files if any(line.startswith(entry['file'] + ':') for line in broken)] or files
    print('apart:', *(os.path.relpath(entry['file'], root) for entry in apart), *broken[:3], file=sys.stderr)
    rest = [entry for entry in files if entry not in apart]
    found = [said_of([entry], stamp) for entry in apart] + ([said_of(rest, stamp)] if rest else [])
    return None if None in found else sum(found, [])


def look(files, stamp):
    """What clang-tidy says of files, kept once it is known."""
    lines = said_of(files, stamp)
    if lines is None:
        return [files[0]['file'] + ': error: clang-tidy did not get to its end']
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
    common, included = version + read(os.path.join(root, '.clang-tidy')) + read(__file__), Included()
    findings, open_, done = set(), [], 0
    for files in groups_of(entries.values(), given.together):
        key = hashlib.sha256(''.join(key_of(entry, included, common) for entry in files).encode()).hexdigest()
        stamp = os.path.join(kept, key + '.json')
        if os.path.isfile(stamp):
            findings.update(json.loads(read(stamp)))
            done += len(files)
        else:
            open_.append((files, stamp))
    end = time.monotonic() + 60 * given.minutes
    with concurrent.futures.ThreadPoolExecutor(max(1, given.jobs)) as pool:
        work = lambda one: look(*one) if time.monotonic() < end else None
        for (files, _), lines in zip(open_, pool.map(work, open_)):
            done += len(files) if lines is not None else 0
            findings.update(lines or [])
    for line in sorted(findings):
        print(os.path.relpath(line, root) if line.startswith(root) else line)
    print('%d of %d files looked at, %d findings' % (done, len(entries), len(findings)))
    return 1 if findings else 0 if done == len(entries) else 3


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""Faults on purpose, and what became of them.

    scripts/fault_campaign.py [--whence FILE] [--kills N] [--calls N] [--flips N] [--runs N] [--seed S]

kills    kill -9 at random instants, over all commands that write
calls    system calls that fail, one after the other: ENOSPC, EIO, EINTR, EMFILE, once and for ever
         (N: at most so many per command and errno, spread over the run; 0: every one; -1: none)
flips    single bits flipped in files that are read back
runs     processes that write to one folder, to one state, and to one file, at the same time

After each fault the results must be whole: those of before or those of a run without a fault, as the
checksums in run.json and the bytes of result.json say. Prints one row per kind: cases, good ends,
clear errors, crashes, hangs, lost, silent changes. Exit status 1 unless the last four are 0.
scripts/fuzz.sh does the same to readers, in one process.
"""
import argparse, errno, hashlib, json, os, random, shutil, signal, subprocess, sys, tempfile, time

CLEAR = {2, 3, 4, 5, 6, 7, 8, 10, 11, 129, 130, 143}
LIMIT = 60  # seconds, then it hangs

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
options.add_argument('--whence', default='build/release/apps/whence/whence')
options.add_argument('--kills', type=int, default=200)
options.add_argument('--calls', type=int, default=12)
options.add_argument('--flips', type=int, default=100)
options.add_argument('--runs', type=int, default=10)
options.add_argument('--seed', type=int, default=0)
options.add_argument('--only', default='', help='commands of these names alone, joined by commas')
given = options.parse_args()
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
whence = os.path.abspath(given.whence)
chance = random.Random(given.seed)


class Row:
    """The outcomes of one kind of fault."""

    def __init__(self, name):
        self.name, self.cases, self.good, self.clear = name, 0, 0, 0
        self.crashes, self.hangs, self.lost, self.silent = [], [], [], []

    def ended(self, rc, what):
        """rc: None for a hang, negative for a signal that was not ours."""
        self.cases += 1
        if rc is None:
            self.hangs.append(what)
        elif rc == 0:
            self.good += 1
        elif rc in CLEAR:
            self.clear += 1
        else:
            self.crashes.append('%s: exit %s' % (what, rc))

    def tell(self, of):
        """How far it came, now and then."""
        if self.cases % 500 == 0:
            print('%s: %d of %d, %d done, %d clear errors, %d bad' % (
                self.name, self.cases, of, self.good, self.clear, len(self.bad())), file=sys.stderr, flush=True)

    def bad(self):
        return self.crashes + self.hangs + self.lost + self.silent


# Pictures are optional and take most of the time of a small run: one kill in five draws them.
PLAIN = dict(os.environ, PATH='/nowhere')


def call(arguments, folder, env=PLAIN):
    """Exit code, or None where it had to be killed; and stderr."""
    with subprocess.Popen([whence] + arguments, cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            said = process.communicate(timeout=LIMIT)[1]
            return process.returncode, said
        except subprocess.TimeoutExpired:
            process.kill()
            return None, b''


def must(arguments, folder):
    rc, said = call(arguments, folder)
    if rc != 0:
        sys.exit('cannot prepare: %s: %s' % (' '.join(arguments), said.decode(errors='replace')))


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def prepare(folder):
    """Small data, and one earlier result of every kind."""
    must(['simulate', 'pair', '--levels', '3', '--rows', '40', '--baseline-rows', '80',
          '--environments', '3', '-o', 'pair', '-q'], folder)
    must(['simulate', 'graph', '--graph', 'chain3', '--rows', '20', '--baseline-rows', '40',
          '-o', 'graph', '-q'], folder)
    must(['simulate', 'graph', '--graph', 'er:4:3', '--rows', '20', '-o', 'other', '-q'], folder)
    must(['simulate', 'mixed', '--shift', 'mixed', '--environments', '3', '--rows', '60',
          '-o', 'mixed', '-q'], folder)
    must(DISCOVER + ['-o', 'discover', '--checkpoint', 'run.checkpoint'], folder)
    must(DISENTANGLE + ['--shifted', 'mixed/shifted_02.csv', '-o', 'encoder'], folder)
    for ending in ['dot', 'gml', 'graphml', 'csv', 'npy']:
        must(['convert', 'graph/truth.json', 'truth.' + ending, '-q'], folder)
    must(['convert', 'graph/truth.json', 'truth.edges', '--to', 'edges', '-q'], folder)
    must(['convert', 'graph', 'data.npz', '-q'], folder)
    must(['convert', 'graph', 'table.csv', '-q'], folder)
    must(['convert', 'graph', 'dcdi', '--to', 'dcdi', '-q'], folder)
    shutil.copy(os.path.join(root, 'docs/examples/asia.bif'), folder)
    for name, text in TEXTS.items():
        with open(os.path.join(folder, name), 'w') as file:
            file.write(text)
    must(META + ['-o', 'meta'], folder)
    for seed in '01':
        for shard in '12':
            must(['bench', 'graphs', '--scale', 'smoke', '--only', 'er20,no-shift*', '--seed', seed, '-q',
                  '--shard', shard + '/2', '--checkpoint', 'shard.%s.%s' % (seed, shard)], folder)


# Files that people write.
TEXTS = {
    'tiers.txt': 'X0\nX1,X2\n',
    'tiers.json': '[["X0"], ["X1", "X2"]]\n',
    'settings.json': '{"model": "auto", "prior": {"no_link": 0.3}}\n',
    'meta.json': '{"world": "categorical", "levels": 2, "runs": 1, "episodes": 3, "steps": 2, "batch": 4}\n',
    'tables.json': '{"tables": [{"table": "table.csv", "environment": "environment", "baseline": "baseline",'
                   ' "impossible": ["X2->X0"], "right": ["X0->X1"], "controls": ["shuffled labels"]}]}\n',
}
META = ['meta-learn', '--config', 'meta.json', '-q']
DISENTANGLE = ['disentangle', '--baseline', 'mixed/baseline.csv', '--shifted', 'mixed/shifted_01.csv', '-q']
PAIR = ['direction', '--baseline', 'pair/baseline.csv', '--shifted', 'pair/shifted_01.csv', '-q']
DISCOVER = ['discover', '--baseline', 'graph/baseline.csv', '--shifted', 'graph/shifted_01.csv', '-q']

# Name, the run before, the run that meets the fault, what it replaces: a folder of results, or a file.
COMMANDS = [
    ('direction', PAIR + ['-o', 'out'],
     PAIR + ['--shifted', 'pair/shifted_02.csv', '-o', 'out'], 'out'),
    ('state', PAIR + ['--state', 's.json', '-o', 'out'],
     ['direction', '--shifted', 'pair/shifted_02.csv', '--state', 's.json', '-q', '-o', 'out'], 'out'),
    ('discover', DISCOVER + ['-o', 'out'], DISCOVER + ['--seed', '1', '-o', 'out'], 'out'),
    ('changes', ['changes', '--graph', 'graph/truth.json'] + DISCOVER[1:] + ['-o', 'out'],
     ['changes', '--graph', 'graph/truth.json', '--noise', 'gaussian'] + DISCOVER[1:] + ['-o', 'out'], 'out'),
    ('checkpoint', DISCOVER + ['-o', 'out'],
     DISCOVER + ['--seed', '1', '--checkpoint', 'new.checkpoint', '-o', 'out'], 'out'),
    ('disentangle', DISENTANGLE + ['--shifted', 'mixed/shifted_02.csv', '-o', 'out'],
     DISENTANGLE + ['--shifted', 'mixed/shifted_03.csv', '-o', 'out'], 'out'),
    ('meta-learn', META + ['-o', 'out'], META + ['--seed', '1', '-o', 'out'], 'out'),
    ('simulate pair', ['simulate', 'pair', '-o', 'out', '-q'],
     ['simulate', 'pair', '--seed', '5', '-o', 'out', '-q'], 'out'),
    ('simulate graph', ['simulate', 'graph', '--graph', 'chain3', '-o', 'out', '-q'],
     ['simulate', 'graph', '--graph', 'er:4:3', '-o', 'out', '-q'], 'out'),
    ('simulate mixed', ['simulate', 'mixed', '--rows', '50', '-o', 'out', '-q'],
     ['simulate', 'mixed', '--rows', '50', '--seed', '5', '-o', 'out', '-q'], 'out'),
    ('convert folder', ['convert', 'graph', 'out', '--to', 'dcdi', '-q'],
     ['convert', 'pair', 'out', '--to', 'folder', '-q'], 'out'),
    ('convert file', ['convert', 'graph/truth.json', 'out.dot', '-q'],
     ['convert', 'discover/result.json', 'out.dot', '--force', '-q'], 'out.dot'),
    ('convert table', ['convert', 'pair', 'out.csv', '-q'],
     ['convert', 'graph', 'out.csv', '--force', '-q'], 'out.csv'),
    ('convert npz', ['convert', 'graph', 'out.npz', '-q'],
     ['convert', 'other', 'out.npz', '--force', '-q'], 'out.npz'),
    ('merge', ['merge', 'shard.0.1', 'shard.0.2', '-o', 'out.shards', '-q'],
     ['merge', 'shard.1.1', 'shard.1.2', '--force', '-o', 'out.shards', '-q'], 'out.shards'),
    ('report', PAIR + ['-o', 'out'], ['report', 'out', '-q'], 'out'),
    ('reproduce', ['reproduce', 'propositions', '--scale', 'smoke', '-q', '-o', 'out'],
     ['reproduce', 'propositions', '--scale', 'smoke', '--seed', '2', '-q', '-o', 'out'], 'out'),
]


def content(folder, target):
    """What counts as the result: a hash of everything that does not tell the time or the place."""
    path = os.path.join(folder, target)
    if os.path.isfile(path):
        return hashlib.sha256(read(path)).hexdigest()
    total = hashlib.sha256()
    for where, folders, files in os.walk(path):
        folders.sort()
        for name in sorted(files):
            # Pictures are optional, and run.json notes one that is missing; a hidden file that a killed
            # `report` was writing is no result.
            if name != 'run.json' and not name.endswith('.png') and '.whence-new.' not in name:
                file = os.path.join(where, name)
                total.update(os.path.relpath(file, path).encode() + b'\0' + read(file) + b'\0')
    return total.hexdigest()


def is_whole(folder, target):
    """Whether every file is as run.json says."""
    path = os.path.join(folder, target)
    if os.path.isfile(path):
        return True
    try:
        run = json.loads(read(os.path.join(path, 'run.json')))
        return all(hashlib.sha256(read(os.path.join(path, f['name']))).hexdigest() == f['sha256']
                   for f in run['files'])
    except (OSError, ValueError, KeyError):
        return False


class Case:
    """One command with its references: the results before, and those of a run without a fault."""

    def __init__(self, name, before, command, target, prepared):
        self.name, self.command, self.target = name, command, target
        self.template = os.path.join(work, name.replace(' ', '-'))
        shutil.copytree(prepared, self.template)
        must(before, self.template)
        self.old = content(self.template, target)
        self.seconds = {}
        for drawn, env in [(True, None), (False, PLAIN)]:
            folder = self.fresh()
            start = time.monotonic()
            rc, said = call(command, folder, env)
            self.seconds[drawn] = time.monotonic() - start
            if rc != 0:
                sys.exit('cannot prepare: %s: %s' % (name, said.decode(errors='replace')))
            self.new = content(folder, target)
            shutil.rmtree(folder)
        if self.new == self.old and name != 'report':
            sys.exit('nothing would change: ' + name)

    def fresh(self):
        """The template again. Nothing writes into a file that is there, so links will do."""
        folder = tempfile.mkdtemp(dir=work)
        shutil.copytree(self.template, folder, copy_function=os.link, dirs_exist_ok=True)
        return folder

    def judge(self, row, folder, rc, what, again):
        """After a fault: whole, old or new, and a run without a fault gives the new results."""
        now = content(folder, self.target)
        whole = is_whole(folder, self.target)
        # report replaces a page and then what run.json says of it: between the two, the page is new.
        between = self.name == 'report' and now == self.new
        if now not in (self.old, self.new) or not (whole or between):
            row.lost.append(what + ': results are neither old nor new')
        if rc == 0 and now != self.new:
            row.silent.append(what + ': said yes without the new results')
        if again:
            rc, said = call(self.command, folder)
            repeated = self.name == 'state' and rc == 8 and b'already has' in said
            if not repeated and (rc != 0 or content(folder, self.target) != self.new):
                row.lost.append('%s: the next run: exit %s %s' % (what, rc, said[:200]))
            left = [f for f in os.listdir(folder) if '.whence-new.' in f or '.whence-lock' in f]
            if [f for f in left if f.startswith('.out.whence')] and self.target == 'out' \
                    and self.name != 'report':
                row.lost.append(what + ': leftovers %s' % left)


def kills(cases):
    row = Row('kill -9')
    for i in range(given.kills):
        case, drawn = cases[i % len(cases)], chance.random() < .2
        folder = case.fresh()
        process = subprocess.Popen([whence] + case.command, cwd=folder, env=None if drawn else PLAIN, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            rc = process.wait(chance.uniform(0, 1.1 * case.seconds[drawn]))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            rc = 5  # ours
        what = 'kill %d of %s' % (i, case.name)
        row.ended(rc, what)
        case.judge(row, folder, None if rc == 5 else rc, what, again=i % 10 == 0)
        shutil.rmtree(folder)
        row.tell(given.kills)
    return row


def failing_calls(cases):
    row = Row('failing calls')
    if given.calls < 0:
        return row
    shim = os.path.join(work, 'failing_calls.so')
    subprocess.run(['cc', '-shared', '-fPIC', '-o', shim,
                    os.path.join(root, 'tests/faults/failing_calls.c'), '-ldl'], check=True)
    for case in cases:
        folder = case.fresh()
        counted = os.path.join(work, 'count')
        env = dict(PLAIN, LD_PRELOAD=shim, WHENCE_FAIL_COUNT=counted)
        if call(case.command, folder, env)[0] != 0:
            sys.exit('the shim does not work with ' + case.name)
        shutil.rmtree(folder)
        total = int(read(counted))
        numbers = list(range(1, total + 1))
        for code, ever in [(errno.ENOSPC, False), (errno.ENOSPC, True), (errno.EIO, False),
                           (errno.EINTR, False), (errno.EMFILE, False)]:
            some = numbers if given.calls == 0 or total <= given.calls else sorted(
                chance.sample(numbers, given.calls))
            for number in some:
                folder = case.fresh()
                env = dict(PLAIN, LD_PRELOAD=shim, WHENCE_FAIL_AT=str(number),
                           WHENCE_FAIL_ERRNO=str(code))
                if ever:
                    env['WHENCE_FAIL_EVER'] = '1'
                rc = call(case.command, folder, env)[0]
                what = '%s at call %d of %s%s' % (errno.errorcode[code], number, case.name,
                                                  ', for ever' if ever else '')
                row.ended(rc, what)
                case.judge(row, folder, rc, what, again=number % 7 == 0)
                shutil.rmtree(folder)
                row.tell(5 * len(some) * len(cases))
    return row


# A file, and the command that reads it. `sealed`: a checksum must notice every flip.
READERS = [
    ('s.json', ['direction', '--shifted', 'pair/shifted_03.csv', '--state', 's.json', '-q', '-o', 'o2'], True),
    ('out/result.json', ['verify', 'out', '-q'], True),
    ('out/page.json', ['verify', 'out', '-q'], True),
    ('out/run.json', ['verify', 'out', '-q'], False),
    ('out/page.json', ['report', 'out', '-q'], False),
    ('discover/page.json', ['report', 'discover', '-q'], False),
    ('discover/result.json', ['changes', '--graph', 'discover'] + DISCOVER[1:] + ['-o', 'o2'], False),
    ('out/result.json', ['evaluate', 'out', 'pair'], False),
    ('pair/truth.json', ['evaluate', 'out', 'pair'], False),
    ('discover/result.json', ['evaluate', 'discover', 'graph'], False),
    ('truth.dot', ['convert', 'truth.dot', '-', '--to', 'json'], False),
    ('data.npz', ['discover', '--enco', 'data.npz', '-q', '-o', 'o2', '--time-limit', '5'], False),
    ('pair/baseline.csv', PAIR + ['-o', 'o2'], False),
    ('run.checkpoint', DISCOVER + ['--checkpoint', 'run.checkpoint', '-o', 'o2'], True),
    ('shard.0.1', ['merge', 'shard.0.1', 'shard.0.2', '-o', 'o.shards', '-q'], True),
    ('encoder/page.json', ['report', 'encoder', '-q'], False),
    ('encoder/result.json', ['evaluate', 'encoder', 'mixed'], False),
    ('mixed/truth.json', ['evaluate', 'encoder', 'mixed'], False),
    ('graph/truth.json', ['evaluate', 'discover', 'graph'], False),
    ('graph/truth.json', ['changes', '--graph', 'graph'] + DISCOVER[1:] + ['-o', 'o2'], False),
    ('discover/graph.dot', ['changes', '--graph', 'discover/graph.dot'] + DISCOVER[1:] + ['-o', 'o2'], False),
    ('encoder/run.json', ['verify', 'encoder', '-q'], False),
    ('out/run.json', PAIR + ['-o', 'out'], False),
    ('out/result.json', PAIR + ['-o', 'out'], False),
    ('meta/page.json', ['report', 'meta', '-q'], False),
    ('table.csv', ['check', 'table.csv', '--environment', 'environment', '--baseline', 'baseline'], False),
    ('dcdi/data_interv1.npy', ['discover', '--dcdi', 'dcdi', '-q', '-o', 'o2', '--time-limit', '5'], False),
    ('dcdi/DAG1.npy', ['convert', 'dcdi', 'o2', '--to', 'folder', '-q'], False),
    ('dcdi/regime1.csv', ['convert', 'dcdi', 'o2', '--to', 'folder', '-q'], False),
    ('dcdi/intervention1.csv', ['convert', 'dcdi', 'o2', '--to', 'folder', '-q'], False),
    ('truth.gml', ['convert', 'truth.gml', '-', '--to', 'json'], False),
    ('truth.graphml', ['convert', 'truth.graphml', '-', '--to', 'json'], False),
    ('truth.csv', ['convert', 'truth.csv', '-', '--to', 'json'], False),
    ('truth.npy', ['convert', 'truth.npy', '-', '--to', 'json'], False),
    ('truth.edges', ['convert', 'truth.edges', '-', '--from', 'edges', '--to', 'json'], False),
    ('asia.bif', ['convert', 'asia.bif', '-', '--to', 'json'], False),
    ('tiers.txt', DISCOVER + ['--tiers', 'tiers.txt', '-o', 'o2'], False),
    ('tiers.json', DISCOVER + ['--tiers', 'tiers.json', '-o', 'o2'], False),
    ('settings.json', PAIR + ['--config', 'settings.json', '-o', 'o2'], False),
    ('meta.json', META + ['-o', 'o2'], False),
    ('tables.json', ['bench', 'tables', 'tables.json', '-q'], False),
]


def flips(case):
    """In the folder of the state's case, whose results stand in out."""
    row = Row('flipped bits')
    for i in range(given.flips):
        name, command, sealed = READERS[i % len(READERS)]
        folder = case.fresh()
        path = os.path.join(folder, name)
        data = bytearray(read(path))
        at, bit = chance.randrange(len(data)), chance.randrange(8)
        data[at] ^= 1 << bit
        os.remove(path)
        with open(path, 'wb') as file:
            file.write(data)
        rc = call(command, folder)[0]
        what = 'bit %d of byte %d of %s' % (bit, at, name)
        row.ended(rc, what)
        harmless = name == 's.json' and (at + 1 == len(data) or b'"version":"' in data[max(0, at - 18):at + 1])
        if sealed and rc == 0 and not harmless:
            row.silent.append(what + ': not noticed')
        shutil.rmtree(folder)
        row.tell(given.flips)
    return row


def together(case):
    """Many at once: into one folder, and into one state with a file each."""
    row = Row('at the same time')
    for kind in ('folder', 'state', 'file'):
        state = kind == 'state'
        folder = case.fresh()
        whole = {}  # what a file may hold afterwards
        for i in range(given.runs):
            data = read(os.path.join(folder, 'pair/shifted_02.csv'))
            with open(os.path.join(folder, 'week%d.csv' % i), 'wb') as file:
                file.write(data + data.split(b'\n')[1 + i % 30] + b'\n')
        processes = []
        for i in range(given.runs):
            week = ['--shifted', 'week%d.csv' % i]
            command = ['direction'] + week + ['--state', 's.json', '-q', '-o', 'o%d' % i] if state \
                else PAIR + week + ['-o', 'out']
            if kind == 'file':
                command = ['convert', ('graph/truth.json', 'discover/result.json')[i % 2], 'one.gml', '--force', '-q']
                if i < 2:
                    must(command, folder)
                    whole[content(folder, 'one.gml')] = True
            processes.append(subprocess.Popen([whence] + command, cwd=folder, stdin=subprocess.DEVNULL,
                                              env=PLAIN, stdout=subprocess.DEVNULL,
                                              stderr=subprocess.DEVNULL))
        yes = 0
        for i, process in enumerate(processes):
            try:
                rc = process.wait(10 * LIMIT)
            except subprocess.TimeoutExpired:
                process.kill()
                rc = None
            row.ended(rc, 'run %d' % i)
            yes += rc == 0
        if not is_whole(folder, 'out'):
            row.lost.append('results of many are not whole')
        if kind == 'file' and whole and content(folder, 'one.gml') not in whole:
            row.lost.append('a file that many wrote is none of theirs')
        if state:
            kept = len(json.loads(read(os.path.join(folder, 's.json')))['content']['files'])
            if kept != 2 + yes:
                row.lost.append('%d runs said yes, the state has %d files' % (yes, kept))
        shutil.rmtree(folder)
    return row


work = tempfile.mkdtemp(prefix='whence-faults-')
try:
    prepared = os.path.join(work, 'prepared')
    os.mkdir(prepared)
    prepare(prepared)
    cases = [Case(*one, prepared) for one in COMMANDS
             if not given.only or one[0] in given.only.split(',') + ['state']]
    state = next(c for c in cases if c.name == 'state')
    unharmed = {case.name: content(case.template, '.') for case in cases}
    rows = [kills(cases), failing_calls(cases), flips(state), together(state)]
    for case in cases:  # what all were given must be as it was
        if content(case.template, '.') != unharmed[case.name]:
            rows[0].silent.append('an input of %s was written to' % case.name)
finally:
    shutil.rmtree(work, ignore_errors=True)

print('%-18s %7s %7s %13s %8s %6s %5s %15s' % ('fault', 'cases', 'done', 'clear errors', 'crashes',
                                               'hangs', 'lost', 'silent changes'))
for row in rows:
    print('%-18s %7d %7d %13d %8d %6d %5d %15d' % (
        row.name, row.cases, row.good, row.clear, len(row.crashes), len(row.hangs), len(row.lost),
        len(row.silent)))
for row in rows:
    for what in row.bad()[:20]:
        print('%s: %s' % (row.name, what), file=sys.stderr)
sys.exit(any(row.bad() for row in rows))

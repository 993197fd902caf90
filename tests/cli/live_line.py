#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The status line of `profile` at the bottom of the terminal: live_line.py PROGRAM
FOLDER-OF-HOSTS DATA. A simulated terminal of 8 rows and 110 columns reads the output: the line is
there while the program waits, the program's output is complete above it, and at the end it is gone.
Without a terminal on standard error nothing is written. 77 without nvdisasm."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

ROWS, COLUMNS = 8, 110


class Terminal:
    """A terminal as live_line.c and programs use it: rows that scroll within a region."""

    def __init__(self):
        self.rows = [''] * ROWS
        self.row = self.column = 0
        self.saved = (0, 0)
        self.last = ROWS - 1
        self.seen = []  # every state of the last row

    def down(self):
        if self.row == self.last:
            self.rows[:self.last + 1] = self.rows[1:self.last + 1] + ['']
        elif self.row < ROWS - 1:
            self.row += 1

    def sequence(self, text):
        numbers = [int(n) for n in re.findall(r'\d+', text)]
        if text == 'D':
            self.down()
        elif text == '7':
            self.saved = (self.row, self.column)
        elif text == '8':
            self.row, self.column = self.saved
        elif text.endswith('r'):
            self.last = (numbers[1] if numbers else ROWS) - 1
            self.row = self.column = 0
        elif text.endswith('A'):
            self.row -= 1
        elif text.endswith('H'):
            self.row, self.column = numbers[0] - 1, 0
        elif text.endswith('2K'):
            self.rows[self.row] = ''
        elif not text.endswith('m') and not text.endswith('K'):
            raise ValueError(f'unknown: {text!r}')

    def put(self, character):
        row = self.rows[self.row].ljust(self.column)
        self.rows[self.row] = row[:self.column] + character + row[self.column + 1:]
        self.column += 1

    def read(self, text):
        for piece in re.findall(r'\x1b(\[[\d;]*[A-Za-z]|[D78])|(.)', text, re.S):
            if piece[0]:
                self.sequence(piece[0])
            elif piece[1] == '\n':
                self.down()
            elif piece[1] == '\r':
                self.column = 0
            else:
                self.put(piece[1])
            self.seen.append(self.rows[-1])


def run(arguments):
    """The output to the terminal, and the exit status."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM='xterm', SMP_LIVE_AFTER='0', COLUMNS='')
        os.execv(arguments[0], arguments)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', ROWS, COLUMNS, 0, 0))
    out = b''
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    return out.decode(), os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def main(program, hosts, data):
    script = f'sleep 0.4; {hosts}/host_transpose_13 {data}/transpose.cubin small; printf "half "; sleep 1.4; echo whole'
    words = [program, 'profile', '--no-gpu', '--worst', '0', '--lines', '0', '--', 'sh', '-c', script]
    out, status = run(words)
    if 'nvdisasm not found' in out:
        return 77
    terminal = Terminal()
    terminal.read(out)
    shown = [row for row in terminal.seen if row.startswith('smemprobe: ')]
    wanted = r'smemprobe: \d+ s \(Ctrl-C: report now\), 1 launch; now transpose; worst transpose line 24, 32-way$'
    faults = [] if status == 0 else [f'exit status {status}']
    if not any(re.match(wanted, row) for row in shown):
        faults.append(f'the line was never {wanted}, but {sorted(set(shown))}')
    if 'half whole' not in re.sub(r'\x1b7.*?\x1b8', '', out):
        faults.append('the program\'s own line is torn')
    if terminal.last != ROWS - 1 or any('smemprobe: ' in row for row in terminal.rows):
        faults.append(f'at the end the line is still there: {terminal.rows}')
    quiet = subprocess.run(words, capture_output=True, env=dict(os.environ, SMP_LIVE_AFTER='0', TERM='xterm'))
    if b'\x1b' in quiet.stdout + quiet.stderr:
        faults.append('written where there is no terminal')
    for fault in faults:
        print(fault)
    if faults:
        print(repr(out))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:4]))

"""Hosts within this machine: links with a delay have it."""

import statistics
import subprocess
import sys

import pytest

from benchmarks.network import hosts

DELAY = 0.02
PORT = 5000
ANSWER = f"""
import socket
server = socket.create_server(("0.0.0.0", {PORT}))
print("ready", flush=True)
connection, _ = server.accept()
while data := connection.recv(1):
  connection.sendall(data)
"""
ASK = f"""
import socket, sys, time
connection = socket.create_connection((sys.argv[1], {PORT}))
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for _ in range(15):
  began = time.monotonic()
  connection.sendall(b"x")
  connection.recv(1)
  print(time.monotonic() - began)
"""


def round_trip(delay):
  """Returns the median of the seconds that one byte takes to another host and back."""
  try:
    with hosts(2, delay=delay) as (one, other):
      address = other.address.partition(":")[0]
      command = [*other.prefix, sys.executable, "-c", ANSWER]
      with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout.readline() == "ready\n"
        command = [*one.prefix, sys.executable, "-c", ASK, address]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
  except OSError as error:
    pytest.skip(f"hosts of their own need root and /dev/net/tun: {error}")
  return statistics.median(map(float, done.stdout.split()))


def test_a_link_has_the_delay_that_was_asked_for():
  assert 2 * DELAY <= round_trip(DELAY) < 2.5 * DELAY


def test_a_link_without_a_delay_has_none():
  assert round_trip(0.0) < DELAY / 4

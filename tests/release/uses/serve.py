import json
import re
import signal
import subprocess
import sys
from urllib.request import Request, urlopen

command = [sys.executable, "-m", "mnemic", "serve", "--port", "0", "--db", "memory.db"]
serving = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
assert serving.stdout
said = ""
for line in serving.stdout:
    said += line
    address, token = re.search(r"http://[\d.:]+", said), re.search(r"\bmnm_\S+", said)
    if address and token:
        turn = {"session": "s", "role": "user", "text": "I use Python 3.12"}
        asked = Request(
            f"{address[0]}/v1/spaces/default/turns",
            json.dumps(turn).encode(),
            {"Authorization": f"Bearer {token[0]}", "Content-Type": "application/json"},
        )
        with urlopen(asked, timeout=30) as answer:
            assert json.load(answer)["text"] == "I use Python 3.12"
        serving.terminate()
        assert serving.wait(60) in (0, -signal.SIGTERM)
        break
else:
    sys.exit(said)
